// Products with few rows: the weights are read once, in order, at the speed of memory.
//
// Same chain as gemm, so a row gives the same bits alone and among many.
#pragma once

#include <cstdint>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

inline constexpr int64_t kFewRows = 16;

// C [M, N] (+)= A [M, K] B [K, N] for M <= kFewRows and B stored by rows (b_stride apart).
template <typename T>
void few_rows_gemm(int64_t M, int64_t N, int64_t K, MatrixView<T> a, const T* b, int64_t b_stride,
                   T* c, int64_t c_stride, bool accumulate);

template <>
void few_rows_gemm<float>(int64_t, int64_t, int64_t, MatrixView<float>, const float*, int64_t,
                          float*, int64_t, bool);
template <>
void few_rows_gemm<double>(int64_t, int64_t, int64_t, MatrixView<double>, const double*, int64_t,
                           double*, int64_t, bool);

}  // namespace heed::kernels
