// How much work a benchmark does to arrive at its numbers.
#pragma once

#include <cstdint>

#include "bench/timing.h"

namespace heed::bench {

struct Effort {
  TimingOptions timing = {};
  int64_t data_bytes = int64_t{256} << 20;  // of the main operand, where memory is what is measured
  bool small_products = false;              // the peak from a small product
  bool reads_beside = true;  // memory is read between the runs of rows that are bound by it

  // A look whether everything works: each row once, on less data. The numbers mean little.
  static Effort quick() {
    return {.timing = {.warm_up = 0, .runs = 1, .seconds = 0},
            .data_bytes = int64_t{4} << 20,
            .small_products = true};
  }
};

}  // namespace heed::bench
