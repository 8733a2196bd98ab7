// The probability of a ranking of several answers, from a score of each (Luce 1959, Plackett 1975):
// the first is chosen among all, the second among the rest, and so on.
//
//   P(1 before 2 before .. K) = prod_k exp(s_k) / sum_{j >= k} exp(s_j)
//   loss      = sum over rankings, sum_k (log sum_{j >= k} exp(s_j) - s_k) / count
//   backward    ds_i = (sum_{k <= i} p_k(i) - 1) / count
//               p_k(i) = exp(s_i) / sum_{j >= k} exp(s_j)
//
//   s : [B], the answers of each ranking one after the other, the best first      loss : [1]
//
// Two answers: the model of Bradley and Terry.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

// `sizes` are the numbers of answers of each ranking, 2 or more; `count` 0: their number.
HEED_API Variable plackett_luce(const Variable& scores, std::span<const int64_t> sizes,
                                int64_t count = 0);

}  // namespace heed
