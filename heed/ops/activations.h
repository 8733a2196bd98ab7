// The activation functions, each with its derivative.
//
//   forward   y_i  = f(x_i)
//   backward  dx_i = dy_i f'(x_i)
//
//   x, y : any shape        keeps x
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

// The rectifier.
//
//   f(x)  = max(x, 0)
//   f'(x) = 1 if x > 0, else 0
HEED_API Variable relu(const Variable& x);

enum class Gelu : uint8_t { exact, tanh };  // tanh: what GPT-2 uses

// The Gaussian error linear unit, exact or in its usual approximation.
//
//   exact   f(x)  = x P(x)                               P(x) = (1 + erf(x / sqrt 2)) / 2
//           f'(x) = P(x) + x p(x)                        p(x) = exp(-x^2 / 2) / sqrt(2 pi)
//
//   tanh    f(x)  = x (1 + t) / 2                        t = tanh(u)
//           f'(x) = (1 + t) / 2 + x (1 - t^2) u' / 2     u = sqrt(2 / pi) (x + 0.044715 x^3)
HEED_API Variable gelu(const Variable& x, Gelu form = Gelu::exact);

// The sigmoid-weighted linear unit, also called swish.
//
//   f(x)  = x s                                          s = 1 / (1 + exp(-x))
//   f'(x) = s + x s (1 - s)
HEED_API Variable silu(const Variable& x);

// The hyperbolic tangent.
//
//   f(x)  = tanh x
//   f'(x) = 1 - (tanh x)^2
HEED_API Variable tanh(const Variable& x);

// The logistic function.
//
//   f(x)  = 1 / (1 + exp(-x))
//   f'(x) = f(x) (1 - f(x))
HEED_API Variable sigmoid(const Variable& x);

}  // namespace heed
