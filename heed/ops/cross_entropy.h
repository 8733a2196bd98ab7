// Cross entropy between the softmax of logits and target ids.
//
//   forward   p = softmax(x_n)      q_j = (1 - e) [j = t_n] + e / V
//             loss_n = - sum_j q_j log p_j
//                    = log l - (1 - e) (x_nt - m) - e/V sum_j (x_nj - m)
//                      m = max_j x_nj        l = sum_j exp(x_nj - m)
//             y = sum over n of loss_n / count
//   backward  dx_nj = dy (p_j - q_j) / count
//
//   x : [N, V]     t : [N], int32 or int64, each in [0, V) or ignored     y : [1]
//
//   keeps x, and m and l of every row
//   a row's loss depends on that row alone; the sum over rows is a fixed tree, in double
//   an ignored row has loss 0 and gradient 0; if all are ignored, the loss is 0
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

struct CrossEntropyOptions {
  double label_smoothing = 0;   // e, in [0, 1]
  int64_t ignored_target = -1;  // rows with this target do not count
  int64_t token_count = 0;      // what the sum is divided by; 0: the number of rows that count
};

HEED_API Variable cross_entropy(const Variable& logits, const Tensor& targets,
                                const CrossEntropyOptions& options = {});

// log p of every row's target [N], in the type of the logits; 0 where the target is -1.
HEED_API Tensor token_log_probabilities(const Tensor& logits, const Tensor& targets);

}  // namespace heed
