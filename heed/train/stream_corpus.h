// A language model's examples: windows of one long stream of tokens, each row to predict the token
// after it.
#pragma once

#include <memory>

#include "heed/data/token_store.h"
#include "heed/train/corpus.h"

namespace heed {

// The tokens [begin, end) of a store.
struct StreamRange {
  TokenStore tokens;
  int64_t begin = 0, end = 0;

  int64_t length() const { return end - begin; }
};

class HEED_API StreamCorpus final : public Corpus {
 public:
  // Windows of `context` tokens. They change with the epoch: (seed, epoch) shifts and shuffles
  // them.
  StreamCorpus(StreamRange range, int64_t context, uint64_t seed);

  int64_t size() const override;
  BatchPlan plan(const BatchOptions& options, uint64_t epoch) const override;
  Batch batch(std::span<const int64_t> items, uint64_t epoch) const override;
  BatchPlan evaluation_plan(const BatchOptions& options) const override;
  Batch evaluation_batch(std::span<const int64_t> items) const override;
  uint64_t fingerprint() const override;

  // The first tokens, `count` or as many as there are.
  std::vector<int32_t> beginning(int64_t count) const;

 private:
  StreamRange range_;
  int64_t context_;
  uint64_t seed_;
};

}  // namespace heed
