// Means: the sums of sum.h, divided by how many there are.
//
//   mean            y    = sum of all x_i / n            x : any shape    y : [1]
//   mean_rows       y_c  = sum_n x_nc / N                x : [N, C]       y : [C]
//   sequence_mean   y_bc = sum of x_nc over the rows n of sequence b, divided by its length
//                   dx_nc = dy_bc / length                x : [N, C]       y : [B, C]
//
// An empty sequence has mean 0; a mean of nothing otherwise is an Error.
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"

namespace heed {

HEED_API Variable mean(const Variable& x);
HEED_API Variable mean_rows(const Variable& x);
HEED_API Variable sequence_mean(const Variable& x, const Rows& rows);

}  // namespace heed
