// Dropout: each element is set to 0 with probability p, the others are scaled to keep the mean.
//
//   forward   y_nc  = x_nc k_nc / (1 - p)
//   backward  dx_nc = dy_nc k_nc / (1 - p)
//
//   k_nc = 0 if random_bits(key_n, c) < p 2^32, else 1
//   key_n = random_key({seed, step, site, id of the row's sequence, position of the row in it})
//
//   x, y : [N, C]     rows : where the sequences of the N rows begin
//   keeps nothing: k is computed again
//
// A sequence draws the same mask wherever it stands in the batch.
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/base/random.h"
#include "heed/tensor/rows.h"

namespace heed {

struct DropoutOptions {
  double p = 0;          // probability of dropping, in [0, 1)
  RandomSite site = {};  // seed, step and site; sequence and position are filled in for each row
};

HEED_API Variable dropout(const Variable& x, const Rows& rows, const DropoutOptions& options);

}  // namespace heed
