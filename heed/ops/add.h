// The sum of two tensors, or of a tensor and a row that is added to each of its rows.
//
//   forward   y_nc  = a_nc + b_nc           or  a_nc + b_c
//   backward  da_nc = dy_nc,  db_nc = dy_nc     db_c = sum_n dy_nc
//
//   a, y : [..., C]     b : the shape of a, or [C]
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable add(const Variable& a, const Variable& b);

}  // namespace heed
