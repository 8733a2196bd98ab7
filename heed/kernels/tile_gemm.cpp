#include "heed/kernels/tile_gemm.h"

#include <algorithm>

#include "heed/base/divide_up.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/tile_gemm.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A block of kRows x kVectors accumulators stays in registers: 24 of 32, or 12 of 16.
constexpr int kBlockRows = 6;
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kBlockVectors = 4;
#else
constexpr int kBlockVectors = 2;
#endif

// Up to this many rows take strips of twice the width: B is then read nearly in order.
constexpr int64_t kFew = 2;
constexpr int kWideVectors = 2 * kBlockVectors;

// Asks for the lines of what comes next, into the second cache, one at each call. `share` of
// `shares` parts of equal size are for this block.
template <typename T>
class LineByLine {
 public:
  static constexpr int64_t kLine = 64 / sizeof(T);

  LineByLine(const Upcoming<T>& next, int64_t share, int64_t shares)
      : across_(divide_up(next.width, kLine)), step_(next.stride - across_ * kLine) {
    const int64_t lines = next.rows * across_;
    const int64_t part = divide_up(lines, shares);
    const int64_t begin = std::min(lines, share * part);
    left_ = std::min(part, lines - begin);
    if (left_ == 0) return;
    column_ = begin % across_;
    line_ = next.data + begin / across_ * next.stride + column_ * kLine;
  }

  HWY_INLINE void ask() {
    if (left_ == 0) return;
    constexpr int kSecondCache = 2;
    __builtin_prefetch(line_, 0, kSecondCache);
    --left_;
    line_ += kLine;
    if (++column_ == across_) {
      column_ = 0;
      line_ += step_;
    }
  }

 private:
  int64_t across_, step_;  // lines of a row; from the end of a row to the next
  int64_t left_ = 0, column_ = 0;
  const T* line_ = nullptr;
};

// One block of C. With kPartial the last vector has only `last` lanes inside the matrix; with
// kSkipZeros (one row at a time) zeros of A are left out; with kAhead what is read next is asked
// for, into the second cache: there are too few places for misses in the first one. Every fourth
// vector is enough, and better than all: the processor then reads on by itself. With kNext it asks
// for its share of what the caller reads next.
template <int kRows, int kVectors, bool kPartial, bool kSkipZeros = false, bool kAhead = false,
          bool kNext = false, typename T>
HWY_NOINLINE void block(const TileProduct<T>& tile, int64_t row, int64_t column, size_t last) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));

  V sum[kRows][kVectors];
  HWY_UNROLL(8)
  for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::Zero(d);
  }
  [[maybe_unused]] int64_t ahead = column * tile.depth;
  [[maybe_unused]] LineByLine<T> next(kNext ? tile.next : Upcoming<T>{}, row / kBlockRows,
                                      std::max<int64_t>(tile.rows / kBlockRows, 1));

  const int64_t a_row = tile.a.row_stride;
  const int64_t a_step = tile.a.column_stride;
  const T* a = tile.a.data + row * a_row;
  const T* b = tile.b + column;
  for (int64_t k = 0; k < tile.depth; ++k, a += a_step, b += tile.b_stride) {
    if constexpr (kSkipZeros) {
      if (*a == T{0}) continue;
    }
    if constexpr (kAhead) {
      constexpr int kSecondCache = 2;
      if (ahead < tile.ahead_size) {
        HWY_UNROLL(2)
        for (int j = 0; j < kVectors; j += 4) {
          __builtin_prefetch(tile.ahead + ahead + j * lanes, 0, kSecondCache);
        }
      }
      ahead += kVectors * lanes;
    }
    if constexpr (kNext) next.ask();
    V factor[kVectors];
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) {
      factor[j] = kPartial && j == kVectors - 1 ? load_first(d, b + j * lanes, last)
                                                : hn::LoadU(d, b + j * lanes);
    }
    HWY_UNROLL(8)
    for (int i = 0; i < kRows; ++i) {
      const V scalar = hn::Set(d, a[i * a_row]);
      HWY_UNROLL(8)
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(scalar, factor[j], sum[i][j]);
    }
  }

  T* c = tile.c + row * tile.c_stride + column;
  HWY_UNROLL(8)
  for (int i = 0; i < kRows; ++i, c += tile.c_stride) {
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) {
      T* to = c + j * lanes;
      if (kPartial && j == kVectors - 1) {
        const V after = tile.accumulate ? hn::Add(load_first(d, to, last), sum[i][j]) : sum[i][j];
        store_first(after, d, to, last);
      } else if (tile.accumulate) {
        hn::StoreU(hn::Add(hn::LoadU(d, to), sum[i][j]), d, to);
      } else {
        hn::StoreU(sum[i][j], d, to);
      }
    }
  }
}

// One or two rows.
template <int kVectors, bool kPartial, typename T>
void few_strip(const TileProduct<T>& tile, int64_t column, size_t last) {
  if (tile.ahead_size == 0) {
    return tile.rows == 1 ? block<1, kVectors, kPartial>(tile, 0, column, last)
                          : block<2, kVectors, kPartial>(tile, 0, column, last);
  }
  return tile.rows == 1 ? block<1, kVectors, kPartial, false, true>(tile, 0, column, last)
                        : block<2, kVectors, kPartial, false, true>(tile, 0, column, last);
}

template <int kVectors, bool kPartial, typename T>
void strip(const TileProduct<T>& tile, int64_t column, size_t last) {
  int64_t row = 0;
  if (tile.rows <= kFew && !tile.skip_zeros) {
    return few_strip<kVectors, kPartial>(tile, column, last);
  }
  if (tile.skip_zeros) {
    for (; row < tile.rows; ++row) block<1, kVectors, kPartial, true>(tile, row, column, last);
    return;
  }
  if (tile.next.rows > 0) {
    for (; row + kBlockRows <= tile.rows; row += kBlockRows) {
      block<kBlockRows, kVectors, kPartial, false, false, true>(tile, row, column, last);
    }
  }
  for (; row + kBlockRows <= tile.rows; row += kBlockRows) {
    block<kBlockRows, kVectors, kPartial>(tile, row, column, last);
  }
  switch (tile.rows - row) {
    case 1: return block<1, kVectors, kPartial>(tile, row, column, last);
    case 2: return block<2, kVectors, kPartial>(tile, row, column, last);
    case 3: return block<3, kVectors, kPartial>(tile, row, column, last);
    case 4: return block<4, kVectors, kPartial>(tile, row, column, last);
    case 5: return block<5, kVectors, kPartial>(tile, row, column, last);
    default: return;
  }
}

template <int kVectors, typename T>
void last_strip(const TileProduct<T>& tile, int64_t column) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t rest = tile.columns - column;
  if constexpr (kVectors > 1) {
    if (rest <= (kVectors - 1) * lanes) return last_strip<kVectors - 1>(tile, column);
  }
  if (rest == kVectors * lanes) return strip<kVectors, false>(tile, column, 0);
  strip<kVectors, true>(tile, column, static_cast<size_t>(rest - (kVectors - 1) * lanes));
}

template <typename T>
void multiply(const TileProduct<T>& tile) {
  const hn::ScalableTag<T> d;
  const int64_t width = kBlockVectors * static_cast<int64_t>(hn::Lanes(d));
  if (tile.rows == 0) return;
  int64_t column = 0;
  if (tile.rows <= kFew && !tile.skip_zeros) {
    for (; column + 2 * width <= tile.columns; column += 2 * width) {
      few_strip<kWideVectors, false>(tile, column, 0);
    }
  }
  for (; column + width <= tile.columns; column += width) {
    strip<kBlockVectors, false>(tile, column, 0);
  }
  if (column < tile.columns) last_strip<kBlockVectors>(tile, column);
}

template <typename T>
int64_t strip_width() {
  return kBlockVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
}

void multiply_f32(const TileProduct<float>& tile) { multiply(tile); }
void multiply_f64(const TileProduct<double>& tile) { multiply(tile); }
int64_t strip_f32() { return strip_width<float>(); }
int64_t strip_f64() { return strip_width<double>(); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);
HWY_EXPORT(strip_f32);
HWY_EXPORT(strip_f64);

template <>
void tile_gemm<float>(const TileProduct<float>& tile) {
  HWY_DYNAMIC_DISPATCH(multiply_f32)(tile);
}
template <>
void tile_gemm<double>(const TileProduct<double>& tile) {
  HWY_DYNAMIC_DISPATCH(multiply_f64)(tile);
}
template <>
int64_t tile_strip<float>() {
  return HWY_DYNAMIC_DISPATCH(strip_f32)();
}
template <>
int64_t tile_strip<double>() {
  return HWY_DYNAMIC_DISPATCH(strip_f64)();
}

}  // namespace heed::kernels
#endif
