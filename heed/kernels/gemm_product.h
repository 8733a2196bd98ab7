// A matrix product with its operands, as the kernels of gemm hand it on.
#pragma once

#include <cstdint>

#include "heed/kernels/gemm_options.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

template <typename T>
struct Product {
  int64_t M, N, K;
  MatrixView<T> a, b;
  T* c;
  int64_t c_stride;
  const GemmOptions<T>& options;

  // What it takes on one core, about: to compute, and to read B.
  double nanoseconds() const {
    constexpr double kFlopsPerNanosecond = 100;
    return 2.0 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K) /
           kFlopsPerNanosecond;
  }
  double reading_nanoseconds() const {
    constexpr double kBytesPerNanosecond = 10;
    return static_cast<double>(N) * static_cast<double>(K) * static_cast<double>(sizeof(T)) /
           kBytesPerNanosecond;
  }
};

template <typename T>
MatrixView<T> part(const MatrixView<T>& m, int64_t row, int64_t column) {
  return {m.data + row * m.row_stride + column * m.column_stride, m.row_stride, m.column_stride};
}

}  // namespace heed::kernels
