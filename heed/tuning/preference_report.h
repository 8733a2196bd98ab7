// How well scores agree with rankings that people gave.
//
//   accuracy      share of pairs (better, worse) with s_better > s_worse; equal scores count half
//   calibration   mean over ten bins of |P - share that came true|, weighted by their pairs, where
//                 P = sigmoid(|s_1 - s_2|) is how sure the scores are (expected calibration error)
//   longer        share of pairs whose better answer is the longer one: what length alone would get
//   length bias   share of pairs in which the scores prefer the longer answer
//   length r      correlation of the difference of scores with the difference of lengths
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/metrics/interval.h"

namespace heed {

struct PreferenceReport {
  int64_t pairs = 0;
  double accuracy = 0;
  Interval interval;  // of the accuracy, 95 % (Wilson); pairs of one ranking count as independent
  double calibration = 0;
  double longer = 0;       // pairs of equal length count half
  double length_bias = 0;  // likewise
  double length_correlation = 0;
};

// Scores and lengths of all answers, ranking after ranking, the best first; all pairs of a ranking
// are compared.
HEED_API PreferenceReport preference_report(std::span<const double> scores,
                                            std::span<const int64_t> lengths,
                                            std::span<const int64_t> sizes);

}  // namespace heed
