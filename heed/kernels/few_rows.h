// Products with few rows: the weights are read once, in order, at the speed of memory.
//
// Same chain as gemm, so a row gives the same bits alone and among many.
#pragma once

#include <cstdint>

#include "heed/kernels/gemm_product.h"

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

// For M <= kFewRows and B stored by rows. Tasks are pieces of the columns, as wide as can be, over
// all of K or over a slice of it.
template <typename T>
void few_rows_gemm(const Product<T>& product);

template <>
void few_rows_gemm<float>(const Product<float>&);
template <>
void few_rows_gemm<double>(const Product<double>&);

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

// The same for B stored by columns, as tied weights [N, K] are: a vector of columns at a time,
// transposed in registers.
template <typename T>
void few_rows_transposed_gemm(const Product<T>& product);

template <>
void few_rows_transposed_gemm<float>(const Product<float>&);
template <>
void few_rows_transposed_gemm<double>(const Product<double>&);

}  // namespace heed::kernels
