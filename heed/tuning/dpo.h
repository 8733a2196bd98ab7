// Direct preference optimization (Rafailov et al. 2023): a policy learns from rankings, without a
// reward model. Its implied reward is how much likelier it finds an answer than the reference does.
//
//   s_i    = beta (log p(y_i) - log q(y_i))            log p: the sum over the answer's tokens
//   loss   = the loss of plackett_luce.h with the scores s; of two answers
//          = - log sigmoid(s_better - s_worse)
//
//   log p, log q : [B], the answers of each ranking one after the other, the best first
//   loss : [1]
//
// While p = q, the loss of a pair is log 2.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

struct DpoOptions {
  double beta = 0.1;
  int64_t count = 0;  // what the sum is divided by; 0: the number of rankings
};

HEED_API Variable dpo(const Variable& log_probabilities, std::span<const double> reference,
                      std::span<const int64_t> sizes, const DpoOptions& options = {});

}  // namespace heed
