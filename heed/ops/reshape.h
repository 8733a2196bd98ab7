// Other views of the same numbers.
//
//   reshape      the same elements in row-major order under another shape
//   split_heads  [.., H*D] -> [.., H, D]
//   join_heads   [.., H, D] -> [.., H*D]
//
//   backward: the same numbers back under the old shape
//
// A view wherever the strides allow it: splitting always, reshaping a contiguous tensor, joining
// adjacent heads. Otherwise a copy.
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

HEED_API Variable reshape(const Variable& x, const Shape& shape);
HEED_API Variable split_heads(const Variable& x, int64_t heads);
HEED_API Variable join_heads(const Variable& x);

}  // namespace heed
