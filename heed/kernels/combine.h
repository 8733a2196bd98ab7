// Sums and products of float arrays, element by element, on all threads.
#pragma once

#include <cstdint>

namespace heed::kernels {

enum class Combine : uint8_t { add, multiply };

// Rows in memory, `stride` elements apart; a stride of 0 repeats one row.
struct RowsOf {
  const float* data;
  int64_t stride;
};

// y_nc = a_nc + b_nc, or a_nc b_nc; y is [N, C].
void combine(Combine operation, RowsOf a, RowsOf b, int64_t N, int64_t C, float* y);

// y_nc = factor x_nc
void scale(RowsOf x, float factor, int64_t N, int64_t C, float* y);

}  // namespace heed::kernels
