// Why weights by a formula: three layers that mix words, where the word that matters stands now
// near, now far.
//
//   dense         y_i = sum_j w_ij x_j + b_i            a weight for each pair of positions
//   convolution   y_i = W_o relu(sum_k W_k x_(i+k))     a weight for each distance, up to its reach
//   attention     y_i = W_o sum_j f(x_i, x_j) W_v x_j   a weight for each pair of words
//
// A row has L words; the last is a verb, "sings", and three of the others are nouns of three groups
// of six. Which noun goes with the verb? The other words mean nothing. The noun is `distance` words
// before the verb. Models of the same size are trained at some distances and tested at all.
//
//   x = x + mix(norm(x)),   x = x + feed_forward(norm(x))     in each block, then the verb's row
//                                                             through a norm to 18 nouns
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"

namespace heed {

enum class MixKind : uint8_t { dense, convolution, attention };

struct DistanceExperimentOptions {
  // C of the model. Rows have L = 2 C words: then a dense layer, L^2 weights, is as large as
  // attention, 4 C^2; the hidden width of the convolution is chosen to fit.
  int64_t width = 16;
  int64_t blocks = 2;
  int64_t kernel = 9;  // of the convolution, odd; it reaches blocks (kernel - 1) / 2 words back
  int64_t steps = 2000;
  int64_t tested = 100;  // rows of each distance
  uint64_t seed = 1;
};

struct DistanceRow {
  std::vector<int32_t> words;
  int32_t answer = 0;  // which of the 18 nouns
};

// A function of its arguments. `set` tells rows to train on (0) from others.
HEED_API DistanceRow distance_row(uint64_t seed, uint64_t set, int64_t index, int64_t length,
                                  int64_t distance);
HEED_API std::string distance_word(int32_t word);    // "sings"
HEED_API std::string distance_noun(int32_t answer);  // "baker"

// Trained are the distances up to 2/3 of the length, except each fourth.
HEED_API bool is_trained_distance(int64_t distance, int64_t length);

struct DistanceResult {
  int64_t parameters = 0;
  std::vector<double> accuracy;  // at distance 1, 2, .. L - 1
};

// The share of right answers of a guess that knows the verb: one of six.
inline constexpr double kDistanceChance = 1.0 / 6;

HEED_API DistanceResult distance_experiment(MixKind kind,
                                            const DistanceExperimentOptions& options = {});

}  // namespace heed
