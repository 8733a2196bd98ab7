// Tensors one after the other along an axis.
//
//   forward   y = [x_1, x_2, ..., x_n]
//   backward  dx_i = the part of dy where x_i went (a view)
//
//   x_i : equal in all axes but `axis`; a negative axis counts from the end      keeps nothing
#pragma once

#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable concatenate(const std::vector<Variable>& inputs, int axis = 0);

}  // namespace heed
