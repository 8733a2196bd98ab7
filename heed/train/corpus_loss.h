// The loss of a model over a whole corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "heed/models/model.h"
#include "heed/train/corpus.h"

namespace heed {

struct CorpusLoss {
  double sum = 0;
  int64_t label_count = 0;

  double mean() const { return label_count == 0 ? 0 : sum / static_cast<double>(label_count); }
};

// `use` gets the items and the labelled batch of each step, after its loss was added; it may be
// empty.
using UseBatch = std::function<void(std::span<const int64_t> items, const Batch& batch)>;
CorpusLoss corpus_loss(const Model& model, const Corpus& corpus, const BatchOptions& options,
                       const UseBatch& use = {});

}  // namespace heed
