#include "heed/kernels/sum_rows.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/sum_rows.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y_c += x_0c + x_1c + .. in row order; four rows per pass over y.
template <typename T>
void add_rows(const T* x, int64_t stride, int64_t rows, int64_t columns, T* y) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = columns - columns % lanes;
  int64_t n = 0;
  for (; n + 4 <= rows; n += 4, x += 4 * stride) {
    for (int64_t c = 0; c < whole; c += lanes) {
      auto sum = hn::Add(hn::LoadU(d, y + c), hn::LoadU(d, x + c));
      sum = hn::Add(sum, hn::LoadU(d, x + stride + c));
      sum = hn::Add(sum, hn::LoadU(d, x + 2 * stride + c));
      hn::StoreU(hn::Add(sum, hn::LoadU(d, x + 3 * stride + c)), d, y + c);
    }
    for (int64_t c = whole; c < columns; ++c) {
      y[c] = (((y[c] + x[c]) + x[stride + c]) + x[2 * stride + c]) + x[3 * stride + c];
    }
  }
  for (; n < rows; ++n, x += stride) {
    for (int64_t c = 0; c < columns; ++c) y[c] += x[c];
  }
}

void add_rows_f32(const float* x, int64_t stride, int64_t rows, int64_t columns, float* y) {
  add_rows(x, stride, rows, columns, y);
}
void add_rows_f64(const double* x, int64_t stride, int64_t rows, int64_t columns, double* y) {
  add_rows(x, stride, rows, columns, y);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(add_rows_f32);
HWY_EXPORT(add_rows_f64);

constexpr int64_t kTaskRows = 16 * kSumBlock;  // a power of two of blocks: a whole subtree
constexpr int64_t kStrip = 256;                // columns of one task, at most
constexpr int64_t kNarrowStrip = 64, kFewTasks = 8;

template <typename T>
void add_rows(const T* x, int64_t stride, int64_t rows, int64_t columns, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(add_rows_f32)(x, stride, rows, columns, y);
  } else {
    HWY_DYNAMIC_DISPATCH(add_rows_f64)(x, stride, rows, columns, y);
  }
}

// The tree: up to `leaf` rows in order; above that, the largest leaf * 2^k rows and the rest.
// y is overwritten; at most kStrip columns.
template <typename T>
void sum_tree(const T* x, int64_t stride, int64_t rows, int64_t leaf, int64_t columns, T* y) {
  if (rows <= leaf) {
    std::fill_n(y, columns, T{0});
    add_rows(x, stride, rows, columns, y);
    return;
  }
  const auto blocks = static_cast<uint64_t>(divide_up(rows, leaf));
  const int64_t half = static_cast<int64_t>(std::bit_floor(blocks - 1)) * leaf;
  T rest[kStrip];
  sum_tree(x, stride, half, leaf, columns, y);
  sum_tree(x + half * stride, stride, rows - half, leaf, columns, rest);
  add_rows(rest, columns, 1, columns, y);
}

}  // namespace

template <typename T>
void sum_rows(const T* x, int64_t stride, int64_t N, int64_t C, T* y, bool accumulate) {
  const int64_t tasks = std::max<int64_t>(divide_up(N, kTaskRows), 1);
  // Narrower where there would be few tasks; the sums do not change.
  const int64_t strip = tasks * divide_up(C, kStrip) < kFewTasks ? kNarrowStrip : kStrip;
  const int64_t strips = divide_up(C, strip);
  std::vector<T> partial(static_cast<size_t>(tasks * C));  // [tasks, C]
  parallel_for(tasks * strips, static_cast<double>(N * C) * 0.25, [&](int64_t index) {
    const int64_t row = index / strips * kTaskRows;
    const int64_t column = index % strips * strip;
    sum_tree(x + row * stride + column, stride, std::min(N - row, kTaskRows), kSumBlock,
             std::min(C - column, strip), partial.data() + index / strips * C + column);
  });
  for (int64_t column = 0; column < C; column += kStrip) {
    const int64_t columns = std::min(C - column, kStrip);
    T total[kStrip];
    sum_tree(partial.data() + column, C, tasks, 1, columns, total);
    if (!accumulate) std::fill_n(y + column, columns, T{0});
    add_rows(total, columns, 1, columns, y + column);
  }
}

template void sum_rows<float>(const float*, int64_t, int64_t, int64_t, float*, bool);
template void sum_rows<double>(const double*, int64_t, int64_t, int64_t, double*, bool);

}  // namespace heed::kernels
#endif
