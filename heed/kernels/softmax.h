// Softmax over rows of float, see ops/softmax.h for the formulas. Each row passes through memory
// once; a row's result depends on that row alone.
#pragma once

#include <cstdint>

namespace heed::kernels {

// y [rows, n] from x with `stride` elements between rows. A row of -infinity gives 0, one
// with a NaN gives NaN.
void softmax_forward(const float* x, int64_t stride, int64_t rows, int64_t n, float* y);

// dx [rows, n] from y [rows, n] and dy with `stride` elements between rows.
void softmax_backward(const float* y, const float* dy, int64_t stride, int64_t rows, int64_t n,
                      float* dx);

}  // namespace heed::kernels
