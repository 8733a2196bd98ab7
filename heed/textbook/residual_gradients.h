// What residual connections do to gradients.
//
//   plain      x_{l+1} = f_l(x_l)            dx_l = J_l' dx_{l+1}
//   residual   x_{l+1} = x_l + f_l(x_l)      dx_l = dx_{l+1} + J_l' dx_{l+1}: two paths
//
// f_l(x) = tanh(x W_l), W_l normal with deviation gain / sqrt(width). The loss is the sum of the
// outputs times fixed normal numbers.
//
// With gain 1, x W is about as large as x. Through many plain layers gradients vanish if the gain
// is small, and explode if it is large; with residual connections they do not vanish.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct ResidualOptions {
  int64_t layers = 32;
  int64_t width = 64;
  int64_t rows = 8;
  double gain = 0.5;
  uint64_t seed = 1;
};

// Norms of the gradient of the loss with respect to the input of each layer, the first layer first,
// and last with respect to the output.
struct ResidualGradients {
  std::vector<double> plain, residual;  // layers + 1 numbers each
};

HEED_API ResidualGradients residual_gradients(const ResidualOptions& options = {});

}  // namespace heed
