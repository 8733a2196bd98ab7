// Layer normalization of each row, with a gain gamma and a shift beta per column.
//
//   forward   y_i = xhat_i gamma_i + beta_i      xhat_i = (x_i - mean) r
//   backward  dx_i = r (g_i - mean(g) - xhat_i b sum_j g_j xhat_j)      g_i = dy_i gamma_i
//             dgamma_i = sum over rows of dy_i xhat_i,  dbeta_i = sum over rows of dy_i
//
//   standard  r = 1 / sqrt(var + eps),  var = sum_i (x_i - mean)^2 / C
//             b = 1 / C
//   textbook  r = 1 / (s + eps),        s^2 = sum_i (x_i - mean)^2 / (C - 1)
//             b = 1 / (r (C - 1) s)
//
//   x, y : [..., C]     gamma, beta : [C]        keeps x, and mean, r and b of each row
//   a constant row gives beta; in the textbook's form its gradient takes the term with b as 0
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

enum class LayerNormForm : uint8_t { standard, textbook };

struct LayerNormOptions {
  double epsilon = 1e-5;                         // eps above
  LayerNormForm form = LayerNormForm::standard;  // which r
};

HEED_API Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta,
                             const LayerNormOptions& options = {});

}  // namespace heed
