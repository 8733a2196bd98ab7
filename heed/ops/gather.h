// Rows of x picked by index.
//
//   forward   y[n]  = x[ids[n]]
//   backward  dx[r] = sum over n with ids[n] = r of dy[n], in the order of n
//
//   x : [R, ...]     ids : [N], int32 or int64, each in [0, R)     y : [N, ...]      keeps ids
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable gather(const Variable& x, const Tensor& ids);

}  // namespace heed
