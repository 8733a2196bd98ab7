// The rectifier.
//
//   forward   y_i  = max(x_i, 0)
//   backward  dx_i = dy_i if x_i > 0, else 0
//
//   x, y : any shape        keeps x
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable relu(const Variable& x);

}  // namespace heed
