// The sigmoid-weighted linear unit, also called swish.
//
//   forward   y_i  = x_i s_i                         s_i = 1 / (1 + exp(-x_i))
//   backward  dx_i = dy_i (s_i + x_i s_i (1 - s_i))
//
//   x, y : any shape        keeps x
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable silu(const Variable& x);

}  // namespace heed
