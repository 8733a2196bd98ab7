// What the machine can do at best, with the threads that heed is set to.
#pragma once

#include <optional>
#include <vector>

#include "bench/effort.h"
#include "bench/timing.h"

namespace heed::bench {

// The best plain (N,N) float32 product, heed's or oneDNN's, over several large sizes; 10^9
// operations per second.
double measure_peak(const Effort& effort);

// The best of three ways to read effort.data_bytes: one stream per thread with four and with
// sixteen vectors side by side, and four streams per thread. 10^9 bytes per second.
double measure_bandwidth(const Effort& effort);

// Times of runs bound by memory, and how fast memory could be read between them.
struct BesideReading {
  std::vector<Timing> times;
  std::optional<double> read_gbs = {};  // none unless effort.reads_beside
};

// Runs all in turn with the three ways to read memory: on a machine that is shared, what memory
// gives changes within seconds.
BesideReading measure_beside_reading(std::vector<TimedRun> runs, const Effort& effort);

}  // namespace heed::bench
