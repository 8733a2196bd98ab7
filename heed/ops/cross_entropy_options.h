// The options of cross_entropy() and linear_cross_entropy().
#pragma once

#include <cstdint>

namespace heed {

struct CrossEntropyOptions {
  double label_smoothing = 0;   // e, in [0, 1]
  int64_t ignored_target = -1;  // rows with this target do not count
  int64_t token_count = 0;      // what the sum is divided by; 0: the number of rows that count
};

}  // namespace heed
