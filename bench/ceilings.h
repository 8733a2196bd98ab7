// What the machine can do at best, with the threads that heed is set to.
#pragma once

#include "bench/effort.h"

namespace heed::bench {

// The best plain (N,N) float32 product, heed's or oneDNN's, over several large sizes; 10^9
// operations per second.
double measure_peak(const Effort& effort);

// The best of three ways to read effort.data_bytes: one stream per thread with four and with
// sixteen vectors side by side, and four streams per thread. 10^9 bytes per second.
double measure_bandwidth(const Effort& effort);

}  // namespace heed::bench
