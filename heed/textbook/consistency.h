// Kernel regression finds the truth when its kernel narrows suitably as the data grows.
//
//   h_n = c n^(-1/(d + 4))      error falls with n         (Nadaraya 1964, Mack & Silverman 1982)
//   h   = c                     error stalls at the bias of the fixed width
//
// The data is that of sine_experiment.h; d = 1 there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct ConsistencyOptions {
  double width = 1;   // c
  int64_t seeds = 5;  // errors are means over this many experiments
  uint64_t seed = 1;
};

struct ConsistencyPoint {
  int64_t observations = 0;    // n
  double narrowing_width = 0;  // h_n
  double narrowing_error = 0;  // mean squared error with it
  double fixed_error = 0;      // mean squared error with h = c
};

HEED_API std::vector<ConsistencyPoint> consistency_experiment(
    std::span<const int64_t> observations, const ConsistencyOptions& options = {});

}  // namespace heed
