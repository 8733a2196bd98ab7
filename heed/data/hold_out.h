// A part of the data that training does not see, chosen by a hash of (seed, index).
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct HoldOutOptions {
  double fraction = 0.05;
  int64_t max_count = 2000;  // validation need not take longer than this
  uint64_t seed = 0;
};

struct Split {
  std::vector<int64_t> train;  // both in rising order
  std::vector<int64_t> held_out;
};

// Holds out `fraction` of the items 0 .. count - 1: at least 1, at most `max_count`, and never all.
// There must be two items or more.
HEED_API Split hold_out(int64_t count, const HoldOutOptions& options = {});

}  // namespace heed
