// The logistic function.
//
//   forward   y_i  = 1 / (1 + exp(-x_i))
//   backward  dx_i = dy_i y_i (1 - y_i)
//
//   x, y : any shape        keeps x
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable sigmoid(const Variable& x);

}  // namespace heed
