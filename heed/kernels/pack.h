// Copies of matrix blocks in the order the tile kernels read them.
#pragma once

#include <cstdint>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// to [rows, columns], row-major with to_stride, from a matrix one of whose strides is 1; columns
// from `columns` to `width` become 0.
template <typename T>
void pack_block(MatrixView<T> from, int64_t rows, int64_t columns, T* to, int64_t to_stride,
                int64_t width);

// Rows of n numbers, from_stride apart, one after the other: to_rn = scale from_rn. Returns whether
// all of `to` are finite.
template <typename T>
bool copy_scaled(const T* from, int64_t from_stride, int64_t rows, int64_t n, T scale, T* to);

template <>
void pack_block<float>(MatrixView<float>, int64_t, int64_t, float*, int64_t, int64_t);
template <>
void pack_block<double>(MatrixView<double>, int64_t, int64_t, double*, int64_t, int64_t);
template <>
bool copy_scaled<float>(const float*, int64_t, int64_t, int64_t, float, float*);
template <>
bool copy_scaled<double>(const double*, int64_t, int64_t, int64_t, double, double*);

}  // namespace heed::kernels
