// Softmax over the last axis.
//
//   forward   y_i  = exp(x_i - m) / sum_j exp(x_j - m)      m = max_j x_j
//   backward  dx_i = y_i (dy_i - sum_j dy_j y_j)
//
//   x, y, dx, dy : [..., n]        keeps y
//   a row that is all -infinity gives 0, not NaN, and gradient 0; a row with a NaN gives NaN
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable softmax(const Variable& x);

}  // namespace heed
