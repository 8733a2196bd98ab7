// Sums.
//
//   sum        y    = sum of all x_i             dx_i  = dy           x : any shape    y : [1]
//   sum_rows   y_c  = sum_n x_nc                 dx_nc = dy_c         x : [N, C]       y : [C]
//
// The order of the additions depends on the shape alone: blocks of rows, then a tree
// (kernels/sum_rows.h). A sum of nothing is 0.
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable sum(const Variable& x);
HEED_API Variable sum_rows(const Variable& x);

}  // namespace heed
