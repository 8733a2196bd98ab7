// Root-mean-square normalization of each row, with a gain gamma per column.
//
//   forward   y_i = xhat_i gamma_i      xhat_i = x_i r,   r = 1 / sqrt(mean(x^2) + eps)
//   backward  dx_i = r (g_i - xhat_i mean_j(g_j xhat_j))       g_i = dy_i gamma_i
//             dgamma_i = sum over rows of dy_i xhat_i
//
//   x, y : [..., C]     gamma : [C]        keeps x, and r of each row
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

struct RmsNormOptions {
  double epsilon = 1e-5;  // eps above
};

HEED_API Variable rms_norm(const Variable& x, const Variable& gamma,
                           const RmsNormOptions& options = {});

}  // namespace heed
