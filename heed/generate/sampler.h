// Drawing the next token at random.
//
//   penalties     x_v = x_v / r if x_v > 0, x_v r otherwise     v among the tokens before
//                 x_v = x_v - f n_v                             n_v: how often v is among them
//   temperature   p_v = exp(x_v / T) / sum_u exp(x_u / T)
//   top_k         only the k likeliest tokens
//   top_p         of these the fewest, likeliest first, that hold the share top_p of what these
//                 hold (nucleus sampling, Holtzman et al. 2020)
//   min_p         of these those with p_v >= min_p max_u p_u
//
// What is left is drawn from in proportion to p. Of equally likely tokens the lower id counts as
// the likelier one.
#pragma once

#include <cstdint>
#include <span>

#include "heed/base/export.h"

namespace heed {

struct SamplingOptions {
  double temperature = 0;         // T; 0: always the likeliest token, after the penalties
  int64_t top_k = 0;              // 0: all
  double top_p = 1;               // 1: all
  double min_p = 0;               // 0: all
  double repetition_penalty = 1;  // r (Keskar et al. 2019)
  double frequency_penalty = 0;   // f
  uint64_t seed = 0;

  bool is_random() const { return temperature > 0; }
  bool has_penalty() const { return repetition_penalty != 1 || frequency_penalty != 0; }
};

// Raises an Error that names the option which cannot be meant.
HEED_API void validate(const SamplingOptions& options);

// Which draw this is. With the seed it decides the random number, so that what is drawn does not
// depend on threads or on company.
struct DrawSite {
  uint64_t request = 0;
  uint64_t position = 0;  // tokens of the request generated before
};

// `before`: the tokens that count for the penalties. `excluded`: tokens that are not to be drawn.
// -1 if no token is left.
HEED_API int32_t sample_token(std::span<const float> logits, std::span<const int32_t> before,
                              std::span<const int32_t> excluded, const SamplingOptions& options,
                              const DrawSite& site);

}  // namespace heed
