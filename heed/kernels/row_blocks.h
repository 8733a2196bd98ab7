// Rows shared among threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"

namespace heed::kernels {

// Calls body(first row, number of rows) for blocks of about 16,000 elements of [rows, columns], on
// all threads if the whole, at `nanoseconds` per element, is worth it. For work where each row
// stands for itself, so that the blocks change nothing.
template <typename Body>
void for_row_blocks(int64_t rows, int64_t columns, double nanoseconds, const Body& body) {
  const int64_t step = std::max<int64_t>(16384 / std::max<int64_t>(columns, 1), 1);
  const double total = static_cast<double>(rows) * static_cast<double>(columns) * nanoseconds;
  parallel_for(divide_up(rows, step), total, [&](int64_t block) {
    const int64_t row = block * step;
    body(row, std::min(rows - row, step));
  });
}

}  // namespace heed::kernels
