// A tensor times a constant.
//
//   forward   y  = factor x
//   backward  dx = factor dy
//
//   x, y : any shape
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable scale(const Variable& x, double factor);

}  // namespace heed
