// How well classes are predicted.
//
//   confusion[t, p]  = examples of class t that were taken for class p          [K, K], on request
//   accuracy         = sum_c confusion[c, c] / examples
//   precision_c      = confusion[c, c] / sum_t confusion[t, c]
//   recall_c         = confusion[c, c] / sum_p confusion[c, p]
//   f1_c             = 2 precision_c recall_c / (precision_c + recall_c)
//   macro f1         = mean of f1_c over the classes that were expected or predicted at least once
//   micro f1         = f1 of the counts of all classes added up
//
//   0 / 0 counts as 0; with one class per example micro f1 is the accuracy
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/metrics/precision_recall.h"
#include "heed/metrics/proportion.h"

namespace heed {

struct ClassificationOptions {
  bool confusion = false;  // keep the table of K^2 counts; all else takes memory of K
};

struct HEED_API Classification {
  int64_t classes = 0;              // K
  std::vector<int64_t> confusion;   // [K, K], row: expected; empty unless asked for
  Proportion accuracy;              // interval(): Wilson's, of 95 %
  std::vector<PrecisionRecall> of;  // [K]
  PrecisionRecall macro;            // the means of precision, recall and f1
  PrecisionRecall micro;

  // An entry of the table, which must have been asked for.
  int64_t count(int64_t expected, int64_t predicted) const;
};

// Class ids from 0 to classes - 1.
HEED_API Classification classification(std::span<const int32_t> predicted,
                                       std::span<const int32_t> expected, int64_t classes,
                                       const ClassificationOptions& options = {});

}  // namespace heed
