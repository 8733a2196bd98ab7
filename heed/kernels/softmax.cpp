#include "heed/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/kernels/row_blocks.h"
#include "heed/kernels/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/softmax.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

inline constexpr float kLowest = -std::numeric_limits<float>::infinity();

HWY_INLINE float row_maximum(const float* x, int64_t n) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto even = hn::Set(d, kLowest), odd = even;
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even = hn::Max(even, hn::LoadU(d, x + i));
    odd = hn::Max(odd, hn::LoadU(d, x + i + lanes));
  }
  for_vectors(n - i, [&](int64_t k, auto part)
                         HWY_ATTR { even = hn::Max(even, load(x + i + k, part, kLowest)); });
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
}

// e holds n floats and may be y. The next row is asked for meanwhile: its maximum, which takes few
// instructions, would wait for memory.
template <Store kStore>
HWY_INLINE void softmax_row(const float* x, int64_t n, const float* next, float* e, float* y) {
  const FloatTag d;
  const float maximum = row_maximum(x, n);
  if (maximum == kLowest) {  // nothing to choose from, unless the maximum has lost a NaN
    const bool lost = std::any_of(x, x + n, [](float value) { return std::isnan(value); });
    std::fill_n(y, n, lost ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
    return;
  }
  const auto m = hn::Set(d, maximum);
  const float sum = sum_over(n, [&](int64_t i, auto part) HWY_ATTR {
    const auto power = exp_nonpositive(d, hn::Sub(load(x + i, part, kLowest), m));
    hwy::Prefetch(next + i);
    store<Store::plain>(power, part, e + i);
    return power;
  });
  const auto inverse = hn::Set(d, 1 / sum);
  for_vectors(n, [&](int64_t i, auto part)
                     HWY_ATTR { store<kStore>(hn::Mul(load(e + i, part), inverse), part, y + i); });
}

template <Store kStore>
HWY_INLINE void softmax_row_backward(const float* y, const float* dy, int64_t n, float* dx) {
  const auto dot = hn::Set(FloatTag(), sum_over(n, [&](int64_t i, auto part) HWY_ATTR {
                             return hn::Mul(load(y + i, part), load(dy + i, part));
                           }));
  for_vectors(n, [&](int64_t i, auto part) HWY_ATTR {
    const auto centered = hn::Sub(load(dy + i, part), dot);
    store<kStore>(hn::Mul(load(y + i, part), centered), part, dx + i);
  });
}

void softmax_rows(const float* x, int64_t stride, int64_t rows, int64_t n, float* scratch, float* y,
                  Store how) {
  for (int64_t r = 0; r < rows; ++r, x += stride, y += n) {
    const float* next = r + 1 < rows ? x + stride : x;
    if (how == Store::plain) {
      softmax_row<Store::plain>(x, n, next, y, y);
    } else {
      softmax_row<Store::stream>(x, n, next, scratch, y);
    }
  }
  hwy::FlushStream();
}

void softmax_rows_backward(const float* y, const float* dy, int64_t stride, int64_t rows, int64_t n,
                           float* dx, Store how) {
  for (int64_t r = 0; r < rows; ++r, y += n, dy += stride, dx += n) {
    if (how == Store::plain) {
      softmax_row_backward<Store::plain>(y, dy, n, dx);
    } else {
      softmax_row_backward<Store::stream>(y, dy, n, dx);
    }
  }
  hwy::FlushStream();
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(softmax_rows);
HWY_EXPORT(softmax_rows_backward);

}  // namespace

void softmax_forward(const float* x, int64_t stride, int64_t rows, int64_t n, float* y) {
  const Store how = store_for(y, n, rows * n * 4);
  for_row_blocks(rows, n, 0.7, [&](int64_t row, int64_t count) {
    std::vector<float> scratch(how == Store::stream ? static_cast<size_t>(n) : 0);
    HWY_DYNAMIC_DISPATCH(softmax_rows)
    (x + row * stride, stride, count, n, scratch.data(), y + row * n, how);
  });
}

void softmax_backward(const float* y, const float* dy, int64_t stride, int64_t rows, int64_t n,
                      float* dx) {
  const Store how = store_for(dx, n, rows * n * 4);
  for_row_blocks(rows, n, 0.7, [&](int64_t row, int64_t count) {
    HWY_DYNAMIC_DISPATCH(softmax_rows_backward)
    (y + row * n, dy + row * stride, stride, count, n, dx + row * n, how);
  });
}

}  // namespace heed::kernels
#endif
