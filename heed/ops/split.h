// A tensor cut into parts along an axis, as views: the inverse of concatenate.
//
//   forward   [y_1, y_2, ..., y_n] = x
//   backward  dx = [dy_1, dy_2, ..., dy_n]; a part that was not used counts as 0
//
//   sizes : of the parts; they sum to the axis      keeps nothing
//
// For queries, keys and values from one product: unlike as many slices, whose gradients would each
// be as large as x and be added, the parts write theirs into one tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API std::vector<Variable> split(const Variable& x, const std::vector<int64_t>& sizes,
                                     int axis = -1);

}  // namespace heed
