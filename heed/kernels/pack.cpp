#include "heed/kernels/pack.h"

#include <algorithm>

namespace heed::kernels {
namespace {

constexpr int64_t kTile = 16;

// Transposes in squares that stay in the first cache.
template <typename T>
void pack_transposed(MatrixView<T> from, int64_t rows, int64_t columns, T* to, int64_t to_stride) {
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const int64_t r1 = std::min(rows, r0 + kTile);
    for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const int64_t c1 = std::min(columns, c0 + kTile);
      for (int64_t r = r0; r < r1; ++r) {
        const T* source = from.data + r * from.row_stride;
        for (int64_t c = c0; c < c1; ++c) to[r * to_stride + c] = source[c * from.column_stride];
      }
    }
  }
}

}  // namespace

template <typename T>
void pack_block(MatrixView<T> from, int64_t rows, int64_t columns, T* to, int64_t to_stride,
                int64_t width) {
  if (from.column_stride == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(from.data + r * from.row_stride, columns, to + r * to_stride);
    }
  } else {
    pack_transposed(from, rows, columns, to, to_stride);
  }
  if (columns == width) return;
  for (int64_t r = 0; r < rows; ++r) {
    std::fill(to + r * to_stride + columns, to + r * to_stride + width, T{0});
  }
}

template void pack_block<float>(MatrixView<float>, int64_t, int64_t, float*, int64_t, int64_t);
template void pack_block<double>(MatrixView<double>, int64_t, int64_t, double*, int64_t, int64_t);

}  // namespace heed::kernels
