// The product of two tensors, element by element, or of a tensor and a row that multiplies each of
// its rows.
//
//   forward   y_nc  = a_nc b_nc                 or  a_nc b_c
//   backward  da_nc = dy_nc b_nc,  db_nc = dy_nc a_nc     db_c = sum_n dy_nc a_nc
//
//   a, y : [..., C]     b : the shape of a, or [C]        keeps a and b
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable multiply(const Variable& a, const Variable& b);

}  // namespace heed
