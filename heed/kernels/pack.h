// Copies of matrix blocks in the order the tile kernel reads them.
#pragma once

#include <cstdint>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// to [rows, columns], row-major with to_stride, from any strides; columns from `columns` to `width`
// become 0.
template <typename T>
void pack_block(MatrixView<T> from, int64_t rows, int64_t columns, T* to, int64_t to_stride,
                int64_t width);

extern template void pack_block<float>(MatrixView<float>, int64_t, int64_t, float*, int64_t,
                                       int64_t);
extern template void pack_block<double>(MatrixView<double>, int64_t, int64_t, double*, int64_t,
                                        int64_t);

}  // namespace heed::kernels
