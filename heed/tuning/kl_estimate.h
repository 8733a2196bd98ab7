// How far a policy p has moved from a reference q, estimated from tokens that p has written:
//
//   KL(p, q) = E_p[log p - log q]                        d = log q - log p
//   k1 = - d                unbiased, may be negative
//   k2 = d^2 / 2            biased, never negative, little variance
//   k3 = exp(d) - 1 - d     unbiased and never negative (Schulman 2020)
//
//   sum        y = sum_t k(log p_t, log q_t) / count
//   backward   dlog p_t = 1,  - d,  1 - exp(d)   each / count
//
//   log p, log q : [n]      y : [1]
//
// All are exactly 0 where p and q give the same number.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

enum class KlEstimator : uint8_t { k1, k2, k3 };

// Of one token.
HEED_API double kl_estimate(double log_p, double log_q, KlEstimator kind);

// Of all; `count` 0: the number of tokens.
HEED_API Variable kl_estimate(const Variable& log_p, std::span<const double> log_q,
                              KlEstimator kind, int64_t count = 0);

}  // namespace heed
