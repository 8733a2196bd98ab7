// One row per sequence.
#pragma once

#include "heed/autograd/variable.h"
#include "heed/models/transformer_config.h"
#include "heed/tensor/rows.h"

namespace heed {

// [N, C] -> [B, C]. First and last of an empty sequence are an Error.
Variable pool_rows(const Variable& x, const Rows& rows, Pool pool);

// The last row of every sequence.
Tensor last_rows(const Rows& rows);

}  // namespace heed
