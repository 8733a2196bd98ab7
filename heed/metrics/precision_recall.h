// Precision, recall and their harmonic mean.
//
//   precision = correct / found        how many of those found are right
//   recall    = correct / expected     how many of those expected are found
//   f1        = 2 precision recall / (precision + recall)
//
//   0 / 0 counts as 0
#pragma once

#include <cstdint>

#include "heed/base/export.h"

namespace heed {

struct PrecisionRecall {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

HEED_API PrecisionRecall precision_recall(int64_t correct, int64_t found, int64_t expected);

}  // namespace heed
