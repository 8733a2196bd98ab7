#include "heed/kernels/rotary.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/rotary.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One head. For halves, the second numbers of the pairs begin at x + P.
template <Pairs kPairs>
HWY_INLINE void rotate_head(int64_t P, const float* x, const float* cosine, const float* sine,
                            float direction, float* y) {
  const hn::ScalableTag<float> d;
  using Vector = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Vector sign = hn::Set(d, direction);
  int64_t i = 0;
  for (; i + lanes <= P; i += lanes) {
    Vector a, b;
    if constexpr (kPairs == Pairs::adjacent) {
      hn::LoadInterleaved2(d, x + 2 * i, a, b);
    } else {
      a = hn::LoadU(d, x + i);
      b = hn::LoadU(d, x + P + i);
    }
    const Vector c = hn::LoadU(d, cosine + i);
    const Vector s = hn::Mul(hn::LoadU(d, sine + i), sign);
    const Vector first = hn::MulSub(a, c, hn::Mul(b, s));
    const Vector second = hn::MulAdd(b, c, hn::Mul(a, s));
    if constexpr (kPairs == Pairs::adjacent) {
      hn::StoreInterleaved2(first, second, d, y + 2 * i);
    } else {
      hn::StoreU(first, d, y + i);
      hn::StoreU(second, d, y + P + i);
    }
  }
  for (; i < P; ++i) {
    const int64_t at = kPairs == Pairs::adjacent ? 2 * i : i;
    const int64_t other = kPairs == Pairs::adjacent ? at + 1 : at + P;
    const float a = x[at], b = x[other], s = sine[i] * direction;
    y[at] = a * cosine[i] - b * s;
    y[other] = b * cosine[i] + a * s;
  }
}

void rotate_row(const RotaryRow& row, const float* x, const float* cosine, const float* sine,
                float* y) {
  for (int64_t h = 0; h < row.H; ++h, x += row.x_stride, y += row.D) {
    if (row.pairs == Pairs::adjacent) {
      rotate_head<Pairs::adjacent>(row.P, x, cosine, sine, row.direction, y);
    } else {
      rotate_head<Pairs::halves>(row.P, x, cosine, sine, row.direction, y);
    }
    std::copy(x + 2 * row.P, x + row.D, y + 2 * row.P);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(rotate_row);

void rotary_row(const RotaryRow& row, const float* x, const float* cosine, const float* sine,
                float* y) {
  HWY_DYNAMIC_DISPATCH(rotate_row)(row, x, cosine, sine, y);
}

}  // namespace heed::kernels
#endif
