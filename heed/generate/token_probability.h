// The likeliest tokens of a row of logits x, and how likely each is:
//
//   log p_v = x_v - m - log(sum_u exp(x_u - m))      m = max_u x_u
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct TokenProbability {
  int32_t token = 0;
  double log_probability = 0;
};

// m + log(sum_u exp(x_u - m)). NaN or infinity among the logits is an Error.
HEED_API double log_sum_exp(std::span<const float> logits);

// The `count` likeliest tokens, the likeliest first; ties go to the lower id. Fewer if there
// are not as many, since `excluded` tokens and those with a logit of -infinity are left out.
HEED_API std::vector<TokenProbability> likeliest_tokens(std::span<const float> logits,
                                                        double log_sum, int64_t count,
                                                        std::span<const int32_t> excluded = {});

}  // namespace heed
