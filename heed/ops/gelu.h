// The Gaussian error linear unit, exact or in its usual approximation.
//
//   exact     y_i  = x_i P(x_i)                       P(x) = (1 + erf(x / sqrt 2)) / 2
//             dx_i = dy_i (P(x_i) + x_i p(x_i))       p(x) = exp(-x^2 / 2) / sqrt(2 pi)
//
//   tanh      y_i  = x_i (1 + t_i) / 2                t_i = tanh(u_i)
//             dx_i = dy_i ((1 + t_i) / 2 + x_i (1 - t_i^2) u_i' / 2)
//             u = sqrt(2/pi) (x + 0.044715 x^3)
//
//   x, y : any shape        keeps x
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

enum class Gelu : uint8_t { exact, tanh };  // tanh: what GPT-2 uses

HEED_API Variable gelu(const Variable& x, Gelu form = Gelu::exact);

}  // namespace heed
