// A read-only matrix in memory, row-major or transposed.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <typename T>
struct MatrixView {
  const T* data;
  int64_t row_stride;
  int64_t column_stride = 1;

  MatrixView transposed() const { return {data, column_stride, row_stride}; }
};

}  // namespace heed::kernels
