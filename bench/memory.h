// The memory of attention as the operating system sees it: the peak resident size of the process.
#pragma once

#include <cstdint>

namespace heed::bench {

struct MemoryReport {
  int64_t length = 0;
  bool causal = false;
  int64_t inputs_bytes = 0;   // q, k, v and dy
  int64_t outputs_bytes = 0;  // y, dq, dk and dv
  int64_t growth_bytes = 0;   // of the peak resident size, beyond inputs and outputs
};

struct MemoryOptions {
  int64_t length = 8192;  // L, of one sequence; H = 8, D = 64
  bool causal = false;
};

// Runs attention once, forward and backward. Call it in a fresh process: what was resident before
// hides what is needed now.
MemoryReport measure_memory(const MemoryOptions& options = {});

}  // namespace heed::bench
