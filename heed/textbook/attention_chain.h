// Attention layers one after the other.
//
//   X_0 = X       X_{l+1} = attention(X_l, X_l, X_l)        or X_l + attention(..) with residuals
//
// Each layer mixes the rows. Chained without anything between, they become alike: the spread of the
// rows around their mean shrinks from layer to layer. Residual connections keep them apart.
//
//   spread(X) = sqrt(sum_i |x_i - mean|^2 / sum_i |x_i|^2)
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct AttentionChainOptions {
  int64_t layers = 6;
  int64_t length = 8;
  int64_t width = 16;
  bool residual = false;
  uint64_t seed = 1;
};

struct AttentionChain {
  std::vector<Tensor> outputs;  // X_0 .. X_layers, [length, width]
  std::vector<double> spread;   // of each
};

HEED_API AttentionChain attention_chain(const AttentionChainOptions& options = {});

}  // namespace heed
