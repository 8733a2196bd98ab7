// Why dot products are divided by the root of their width.
//
//   Q, K [B, T, C], elements normal with mean 0 and standard deviation m
//   var(Q) = m^2        var(Q K') = C m^4        var(Q K' / sqrt(C)) = m^4
//
// Without the division the largest softmax weight of a row is close to 1: the gradients vanish.
#pragma once

#include <cstdint>

#include "heed/base/export.h"

namespace heed {

struct ScoreVarianceOptions {
  int64_t batch = 10;    // B
  int64_t length = 10;   // T
  int64_t width = 5000;  // C
  double deviation = 1;  // m
  uint64_t seed = 1;
};

struct ScoreVariance {
  double query_variance = 0;         // of the elements of Q
  double score_variance = 0;         // of those of Q K'
  double scaled_variance = 0;        // of those of Q K' / sqrt(C)
  double largest_weight = 0;         // mean over rows of the largest softmax weight
  double largest_scaled_weight = 0;  // the same after the division
  double expected_query = 0, expected_score = 0, expected_scaled = 0;  // by the formulas
};

HEED_API ScoreVariance score_variance(const ScoreVarianceOptions& options = {});

// Means over `runs` seeds, from options.seed on, and the standard error of the mean of the score
// variance; the standard error of one run is `deviation`.
struct RepeatedScoreVariance {
  ScoreVariance mean;
  double deviation = 0;       // between runs, of the score variance
  double standard_error = 0;  // deviation / sqrt(runs)
};
HEED_API RepeatedScoreVariance repeat_score_variance(int64_t runs,
                                                     const ScoreVarianceOptions& options = {});

}  // namespace heed
