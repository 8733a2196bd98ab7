// The hyperbolic tangent.
//
//   forward   y_i  = tanh(x_i)
//   backward  dx_i = dy_i (1 - y_i^2)
//
//   x, y : any shape        keeps x
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable tanh(const Variable& x);

}  // namespace heed
