// Products of small tiles, on one thread, out of cache: the inner loop of gemm and of attention.
//
// Every output is one sequence of fused multiply-adds in k order from 0 (then added to C, if
// accumulating), whatever the tile's size and the output's place in it.
#pragma once

#include <cstdint>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// A matrix in memory that will be wanted soon: rows of `width` numbers, `stride` apart.
template <typename T>
struct Upcoming {
  const T* data = nullptr;
  int64_t rows = 0, width = 0, stride = 0;
};

template <typename T>
struct TileProduct {
  int64_t rows, columns, depth;  // M, N, K
  MatrixView<T> a;               // [M, K], any strides
  const T* b;                    // [K, N]
  int64_t b_stride;
  T* c;  // [M, N]
  int64_t c_stride;
  bool accumulate = false;  // C + A B instead of A B
  // Leave out the terms where A is exactly 0: the same bits where B is finite, and what stands in B
  // there (a NaN behind a mask) cannot reach C. The slow path.
  bool skip_zeros = false;
  // What the caller reads next. A product of one or two rows, which waits for memory, asks for it
  // meanwhile, as many numbers as it reads of B at most.
  const T* ahead = nullptr;
  int64_t ahead_size = 0;
  // The same for a product of many rows and one strip of columns: spread over it, a line of the
  // cache at a time.
  Upcoming<T> next = {};
};

template <typename T>
void tile_gemm(const TileProduct<T>& tile);

// The width of the column strips tile_gemm works in: a B packed in strips of this width, one after
// the other, is read without gaps.
template <typename T>
int64_t tile_strip();

template <>
void tile_gemm<float>(const TileProduct<float>&);
template <>
void tile_gemm<double>(const TileProduct<double>&);
template <>
int64_t tile_strip<float>();
template <>
int64_t tile_strip<double>();

}  // namespace heed::kernels
