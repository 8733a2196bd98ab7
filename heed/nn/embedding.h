// Token embeddings: a row of a table per id, optionally times sqrt(C), which gives rows drawn with
// deviation 1/sqrt(C) about the size of the positions that are added to them (Vaswani et al. 2017).
#pragma once

#include "heed/base/export.h"
#include "heed/nn/parameters.h"

namespace heed {

struct EmbeddingOptions {
  bool scaled = false;      // rows are multiplied by sqrt(C)
  double deviation = 0.02;  // of new rows; scaled tables take 1/sqrt(C)
};

class HEED_API Embedding {
 public:
  Embedding() = default;
  Embedding(const ParameterScope& scope, int64_t vocabulary, int64_t width,
            const EmbeddingOptions& options = {});

  Variable operator()(const Tensor& ids) const;  // [N] -> [N, C]

  Variable table;             // [V, C]
  QuantizedMatrix quantized;  // instead of it, if the model is int8: C to V, a scale for each token

 private:
  double factor_ = 1;
};

}  // namespace heed
