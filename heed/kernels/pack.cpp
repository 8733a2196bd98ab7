#include "heed/kernels/pack.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/pack.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A square of 16 bytes a side: to[r][c] = from[c][r].
HWY_INLINE void transpose_square(const float* from, int64_t from_stride, float* to,
                                 int64_t to_stride) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<double, 2> pairs;
  const auto a = hn::LoadU(d, from);
  const auto b = hn::LoadU(d, from + from_stride);
  const auto c = hn::LoadU(d, from + 2 * from_stride);
  const auto e = hn::LoadU(d, from + 3 * from_stride);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high)), d, to + 3 * to_stride);
}

HWY_INLINE void transpose_square(const double* from, int64_t from_stride, double* to,
                                 int64_t to_stride) {
  const hn::FixedTag<double, 2> d;
  const auto a = hn::LoadU(d, from);
  const auto b = hn::LoadU(d, from + from_stride);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_stride);
}

// to[r][c] = from[c][r], whole vectors of columns at a time; returns how many columns are done.
template <typename T>
int64_t transpose_vectors(const T* from, int64_t from_stride, int64_t rows, int64_t columns, T* to,
                          int64_t to_stride) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int kStep = kSquare<T>;
  const int64_t whole_rows = rows / kStep * kStep;
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    const T* column = from + c * from_stride;
    for (int64_t r = 0; r < whole_rows; r += kStep) {
      hn::Vec<decltype(d)> w[kStep];
      load_transposed(d, column + r, from_stride, w);
      HWY_UNROLL(4)
      for (int i = 0; i < kStep; ++i) hn::StoreU(w[i], d, to + (r + i) * to_stride + c);
    }
    for (int64_t r = whole_rows; r < rows; ++r) {
      for (int64_t i = 0; i < lanes; ++i) to[r * to_stride + c + i] = column[i * from_stride + r];
    }
  }
  return c;
}

// The same for all columns: what is left over in squares, in strips of one cache line of columns.
template <typename T>
void transpose(const T* from, int64_t from_stride, int64_t rows, int64_t columns, T* to,
               int64_t to_stride) {
  constexpr int64_t kSide = kSquare<T>;
  constexpr int64_t kStrip = 64 / sizeof(T);
  const int64_t whole_rows = rows / kSide * kSide;
  const int64_t done = transpose_vectors(from, from_stride, rows, columns, to, to_stride);
  for (int64_t c0 = done; c0 < columns; c0 += kStrip) {
    const int64_t c1 = std::min(columns, c0 + kStrip);
    const int64_t whole = c0 + (c1 - c0) / kSide * kSide;
    for (int64_t r = 0; r < whole_rows; r += kSide) {
      for (int64_t c = c0; c < whole; c += kSide) {
        transpose_square(from + c * from_stride + r, from_stride, to + r * to_stride + c,
                         to_stride);
      }
      for (int64_t c = whole; c < c1; ++c) {
        for (int64_t i = 0; i < kSide; ++i)
          to[(r + i) * to_stride + c] = from[c * from_stride + r + i];
      }
    }
    for (int64_t r = whole_rows; r < rows; ++r) {
      for (int64_t c = c0; c < c1; ++c) to[r * to_stride + c] = from[c * from_stride + r];
    }
  }
}

template <typename T>
void pack(const MatrixView<T>& from, int64_t rows, int64_t columns, T* to, int64_t to_stride,
          int64_t width) {
  if (from.column_stride == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(from.data + r * from.row_stride, columns, to + r * to_stride);
    }
  } else {
    transpose(from.data, from.column_stride, rows, columns, to, to_stride);
  }
  if (columns == width) return;
  for (int64_t r = 0; r < rows; ++r) {
    std::fill(to + r * to_stride + columns, to + r * to_stride + width, T{0});
  }
}

// x - x is 0 for a finite x and NaN otherwise.
template <typename T>
bool scaled(const T* from, int64_t from_stride, int64_t rows, int64_t n, T scale, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  auto residue = hn::Zero(d);
  T rest = 0;
  for (int64_t r = 0; r < rows; ++r, from += from_stride, to += n) {
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      const auto x = hn::Mul(hn::LoadU(d, from + i), factor);
      residue = hn::Add(residue, hn::Sub(x, x));
      hn::StoreU(x, d, to + i);
    }
    for (; i < n; ++i) {
      to[i] = from[i] * scale;
      rest += to[i] - to[i];
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, residue)) + rest == T{0};
}

void pack_f32(const MatrixView<float>& from, int64_t rows, int64_t columns, float* to,
              int64_t to_stride, int64_t width) {
  pack(from, rows, columns, to, to_stride, width);
}
void pack_f64(const MatrixView<double>& from, int64_t rows, int64_t columns, double* to,
              int64_t to_stride, int64_t width) {
  pack(from, rows, columns, to, to_stride, width);
}
bool scaled_f32(const float* from, int64_t from_stride, int64_t rows, int64_t n, float scale,
                float* to) {
  return scaled(from, from_stride, rows, n, scale, to);
}
bool scaled_f64(const double* from, int64_t from_stride, int64_t rows, int64_t n, double scale,
                double* to) {
  return scaled(from, from_stride, rows, n, scale, to);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(pack_f32);
HWY_EXPORT(pack_f64);
HWY_EXPORT(scaled_f32);
HWY_EXPORT(scaled_f64);

template <>
void pack_block<float>(MatrixView<float> from, int64_t rows, int64_t columns, float* to,
                       int64_t to_stride, int64_t width) {
  HWY_DYNAMIC_DISPATCH(pack_f32)(from, rows, columns, to, to_stride, width);
}
template <>
void pack_block<double>(MatrixView<double> from, int64_t rows, int64_t columns, double* to,
                        int64_t to_stride, int64_t width) {
  HWY_DYNAMIC_DISPATCH(pack_f64)(from, rows, columns, to, to_stride, width);
}
template <>
bool copy_scaled<float>(const float* from, int64_t from_stride, int64_t rows, int64_t n,
                        float scale, float* to) {
  return HWY_DYNAMIC_DISPATCH(scaled_f32)(from, from_stride, rows, n, scale, to);
}
template <>
bool copy_scaled<double>(const double* from, int64_t from_stride, int64_t rows, int64_t n,
                         double scale, double* to) {
  return HWY_DYNAMIC_DISPATCH(scaled_f64)(from, from_stride, rows, n, scale, to);
}

}  // namespace heed::kernels
#endif
