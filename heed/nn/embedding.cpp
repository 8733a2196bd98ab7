#include "heed/nn/embedding.h"

#include <cmath>

#include "heed/ops/embedding.h"
#include "heed/ops/scale.h"

namespace heed {

Embedding::Embedding(const ParameterScope& scope, int64_t vocabulary, int64_t width,
                     const EmbeddingOptions& options) {
  const double root = std::sqrt(static_cast<double>(width));
  if (options.scaled) factor_ = root;
  table = scope.create("table", {vocabulary, width},
                       Initializer::normal(options.scaled ? 1 / root : options.deviation));
}

Variable Embedding::operator()(const Tensor& ids) const {
  const Variable rows = embedding(table, ids);
  return factor_ == 1 ? rows : scale(rows, factor_);
}

}  // namespace heed
