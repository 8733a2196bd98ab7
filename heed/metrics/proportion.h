// A share of right ones, with the interval of Wilson (1927), which stays within 0 and 1 and is good
// for few examples and for shares near 0 or 1.
//
//   p      = correct / total
//   centre = (p + z^2 / 2n) / (1 + z^2 / n)                              n = total
//   half   = z sqrt(p (1 - p) / n + z^2 / 4n^2) / (1 + z^2 / n)          z = 1.96: 95 %
//
//   no example at all: share 0, interval 0 to 1
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/metrics/interval.h"

namespace heed {

struct HEED_API Proportion {
  int64_t correct = 0;
  int64_t total = 0;

  double value() const;       // 0 to 1
  Interval interval() const;  // of 95 %
};

}  // namespace heed
