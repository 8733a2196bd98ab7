// Proximal policy optimization with clipping (Schulman et al. 2017): several steps on the same
// answers, none of which may gain from leaving the policy that wrote them too far.
//
//   r_t       = exp(log p_t - log p_t^old)
//   loss      = - sum_t min(r_t A_t, clip(r_t, 1 - e, 1 + e) A_t) / count
//   backward    dlog p_t = - r_t A_t / count; 0 where the clipped term is the smaller one
//
//   log p, log p^old, A : [n], of every token that was written        loss : [1]
//
// At the first step r = 1 and the gradient is that of reinforce.h.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

struct PpoClipOptions {
  double range = 0.2;  // e; infinity: nothing is clipped
  int64_t count = 0;   // 0: the number of tokens
};

HEED_API Variable ppo_clip(const Variable& log_probabilities, std::span<const double> old,
                           std::span<const double> advantages, const PpoClipOptions& options = {});

// The share of tokens whose gradient the clip removes.
HEED_API double clipped_share(const Tensor& log_probabilities, std::span<const double> old,
                              std::span<const double> advantages, double range);

}  // namespace heed
