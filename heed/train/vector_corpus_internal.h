// Rows of floats with classes: one per sequence (classification) or one per row (tagging).
#pragma once

#include <vector>

#include "heed/train/item_corpus.h"
#include "heed/train/vectors_internal.h"

namespace heed {

enum class ClassPer : uint8_t { sequence, row };

class VectorCorpus final : public ItemCorpus {
 public:
  // A class of -1 is none.
  VectorCorpus(SourceVectors vectors, std::vector<int32_t> classes, ClassPer per);

  uint64_t fingerprint() const override;

 private:
  Batch make_batch(std::span<const int64_t> items) const override;

  SourceVectors vectors_;
  std::vector<int32_t> classes_;
  ClassPer per_;
};

}  // namespace heed
