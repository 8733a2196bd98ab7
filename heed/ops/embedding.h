// A table's rows by id: the gather of ops/gather.h, with the names of a vocabulary.
//
//   forward   y[n] = table[ids[n]]
//   backward  dtable[v] = sum over n with ids[n] = v of dy[n], in the order of n
//
//   table : [V, C]     ids : [N], int32 or int64, each in [0, V)     y : [N, C]      keeps ids
//   the gradient is dense: rows of ids that do not occur are 0
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable embedding(const Variable& table, const Tensor& ids);

}  // namespace heed
