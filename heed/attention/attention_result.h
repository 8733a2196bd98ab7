// What attention() gives besides its output.
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// What the engine keeps per query row and head, [N, H]. From the same type as q.
struct HEED_API RowStatistics {
  Tensor max;    // largest score (softmax, one_hot); -inf without keys
  Tensor sum;    // sum of exp(s - max) (softmax) or of s (sum); 0 without keys
  Tensor index;  // int64: the chosen key (one_hot), -1 without keys; undefined otherwise

  Tensor log_sum_exp() const;  // max + log(sum); -inf without keys
};

struct AttentionResult {
  Variable output;
  RowStatistics statistics;
  int64_t empty_rows = 0;  // (row, head) pairs with keys in reach whose weights sum to 0 (`sum`)
};

}  // namespace heed
