// The policy gradient (Williams 1992): a loss whose gradient is that of the expected return.
//
//   d E[R] = E[(R - b) d log p(y)]       for any baseline b that does not depend on y
//   loss      = - sum_t A_t log p_t / count          A = R - b, a constant
//   backward    dlog p_t = - A_t / count
//
//   log p, A : [n], of every token that was written        loss : [1]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

// `count` 0: the number of tokens.
HEED_API Variable reinforce(const Variable& log_probabilities, std::span<const double> advantages,
                            int64_t count = 0);

// What each return is above the mean of the others of its group, which are answers to the same
// prompt: a baseline that does not depend on the answer itself.
//
//   A_i = R_i - (sum_j R_j - R_i) / (K - 1)           returns: K after K, K >= 2
HEED_API std::vector<double> leave_one_out(std::span<const double> returns, int64_t group);

}  // namespace heed
