// The sum over rows, which gradients of biases and gains are.
//
//   y_c (+)= sum_n x_nc          x : [N, C] with a row stride, y : [C]
//
// The order of every sum depends on N alone: blocks of kSumBlock rows are added in row order, and
// the blocks in a binary tree. Threads and columns share the work without changing a bit.
#pragma once

#include <cstdint>

namespace heed::kernels {

inline constexpr int64_t kSumBlock = 64;

// `stride` is the distance between rows of x, in elements. Uses N C / 1024 elements of memory.
template <typename T>
void sum_rows(const T* x, int64_t stride, int64_t N, int64_t C, T* y, bool accumulate = false);

extern template void sum_rows<float>(const float*, int64_t, int64_t, int64_t, float*, bool);
extern template void sum_rows<double>(const double*, int64_t, int64_t, int64_t, double*, bool);

}  // namespace heed::kernels
