// Checks that the configurations of all models share.
#pragma once

#include <cstdint>

#include "heed/base/fail.h"

namespace heed {

// Far above any model that fits in memory; keeps products of sizes from overflowing.
inline void check_size(const char* name, int64_t value, int64_t min) {
  constexpr int64_t kLargest = int64_t{1} << 24;
  check(value >= min && value <= kLargest, "model: {} is {}, expected {} to {}", name, value, min,
        kLargest);
}

inline void check_probability(const char* name, double value) {
  check(value >= 0 && value < 1, "model: {} is {}, expected at least 0 and below 1", name, value);
}

}  // namespace heed
