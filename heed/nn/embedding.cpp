#include "heed/nn/embedding.h"

#include <cmath>

#include "heed/ops/embedding.h"
#include "heed/ops/scale.h"

namespace heed {

Embedding::Embedding(const ParameterScope& scope, int64_t vocabulary, int64_t width,
                     const EmbeddingOptions& options) {
  const double root = std::sqrt(static_cast<double>(width));
  if (options.scaled) factor_ = root;
  const Weight created =
      scope.create_weight("table", {vocabulary, width}, WeightLayout::out_in,
                          Initializer::normal(options.scaled ? 1 / root : options.deviation));
  table = created.real;
  quantized = created.int8;
}

Variable Embedding::operator()(const Tensor& ids) const {
  const Variable rows =
      quantized.defined() ? quantized_embedding(quantized, ids) : embedding(table, ids);
  return factor_ == 1 ? rows : scale(rows, factor_);
}

}  // namespace heed
