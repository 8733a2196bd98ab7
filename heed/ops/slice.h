// A range of one axis, as a view.
//
//   forward   y = x[.., begin:end, ..]
//   backward  dx is dy in its place, 0 elsewhere
//
//   begin, end : in [0, size of the axis]; a negative axis counts from the end      keeps nothing
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable slice(const Variable& x, int axis, int64_t begin, int64_t end);

}  // namespace heed
