// Products with few rows: the weights are read once, in order, at the speed of memory.
//
// Same chain as gemm, so a row gives the same bits alone and among many.
#pragma once

#include <cstdint>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

inline constexpr int64_t kFewRows = 16;

// Some columns of one slice of K: what a task sums.
template <typename T>
struct FewRowsSlice {
  int64_t M, width, depth;
  int64_t rows_left;  // rows of B from here on, those of later slices included
  MatrixView<T> a;    // [M, depth]
  const T* b;         // [depth, width], rows b_stride apart
  int64_t b_stride;
};

// C [M, N] (+)= A [M, K] B [K, N] for M <= kFewRows and B stored by rows (b_stride apart). Tasks
// are slices of K, over as many columns as can be; the slices are added afterwards.
template <typename T>
void few_rows_gemm(int64_t M, int64_t N, int64_t K, MatrixView<T> a, const T* b, int64_t b_stride,
                   T* c, int64_t c_stride, bool accumulate);

template <>
void few_rows_gemm<float>(int64_t, int64_t, int64_t, MatrixView<float>, const float*, int64_t,
                          float*, int64_t, bool);
template <>
void few_rows_gemm<double>(int64_t, int64_t, int64_t, MatrixView<double>, const double*, int64_t,
                           double*, int64_t, bool);

// What a task of the transposed product computes: some columns, over all of K.
template <typename T>
struct FewRowsTransposed {
  int64_t M, width, K;
  int64_t columns_left;  // of B from here on, those of later tasks included
  const T* x;            // A as [K, M]
  const T* b;            // [width, K], columns b_stride apart
  int64_t b_stride;
  T* c;
  int64_t c_stride;
  bool accumulate;
};

// The same for B stored by columns (b_stride apart), as tied weights [N, K] are: a vector of
// columns at a time, transposed in registers.
template <typename T>
void few_rows_transposed_gemm(int64_t M, int64_t N, int64_t K, MatrixView<T> a, const T* b,
                              int64_t b_stride, T* c, int64_t c_stride, bool accumulate);

template <>
void few_rows_transposed_gemm<float>(int64_t, int64_t, int64_t, MatrixView<float>, const float*,
                                     int64_t, float*, int64_t, bool);
template <>
void few_rows_transposed_gemm<double>(int64_t, int64_t, int64_t, MatrixView<double>, const double*,
                                      int64_t, double*, int64_t, bool);

}  // namespace heed::kernels
