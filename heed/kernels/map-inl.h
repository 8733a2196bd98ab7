// Loops over arrays of float: f on whole vectors, the rest through a buffer with the same vector
// code, so that a number's result never depends on where in the array it stands.
//
// With Store::stream results bypass the caches, which saves reading a line before it is
// overwritten. It pays for outputs much larger than the cache; y must then be aligned to 64 bytes.
#if defined(HEED_KERNELS_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_MAP_INL_H_
#undef HEED_KERNELS_MAP_INL_H_
#else
#define HEED_KERNELS_MAP_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "heed/kernels/stream.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

template <Store kStore>
HWY_INLINE void store(FloatVector v, float* y) {
  if constexpr (kStore == Store::stream) {
    hn::Stream(v, FloatTag(), y);
  } else {
    hn::StoreU(v, FloatTag(), y);
  }
}

// The first n < Lanes numbers at x, then `fill`.
HWY_INLINE FloatVector load_part(const float* x, int64_t n, float fill = 0) {
  HWY_ALIGN float buffer[hn::MaxLanes(FloatTag())];
  std::fill_n(std::copy_n(x, n, buffer), hn::MaxLanes(FloatTag()) - static_cast<size_t>(n), fill);
  return hn::Load(FloatTag(), buffer);
}

HWY_INLINE void store_part(FloatVector v, int64_t n, float* y) {
  HWY_ALIGN float buffer[hn::MaxLanes(FloatTag())];
  hn::Store(v, FloatTag(), buffer);
  std::copy_n(buffer, n, y);
}

// The vector that starts at i of an array of n numbers; past its end there is `fill`.
HWY_INLINE FloatVector load_at(const float* x, int64_t i, int64_t n, float fill = 0) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  return i + lanes <= n ? hn::LoadU(FloatTag(), x + i) : load_part(x + i, n - i, fill);
}

template <Store kStore>
HWY_INLINE void store_at(FloatVector v, int64_t i, int64_t n, float* y) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  if (i + lanes <= n) return store<kStore>(v, y + i);
  store_part(v, n - i, y + i);
}

// term(0) + term(lanes) + .. for n numbers: four running sums, in an order that depends on n alone.
// Past the end term must be 0.
template <class Term>
HWY_INLINE float sum_over(int64_t n, const Term& term) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector a = hn::Zero(d), b = a, c = a, e = a;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::Add(a, term(i));
    b = hn::Add(b, term(i + lanes));
    c = hn::Add(c, term(i + 2 * lanes));
    e = hn::Add(e, term(i + 3 * lanes));
  }
  for (; i < n; i += lanes) a = hn::Add(a, term(i));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

// y_i = f(d, x_i)
template <Store kStore, class F>
HWY_INLINE void map(const float* x, float* y, int64_t n, const F& f) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store<kStore>(f(d, hn::LoadU(d, x + i)), y + i);
  if (i < n) store_part(f(d, load_part(x + i, n - i)), n - i, y + i);
}

// y_i = f(d, a_i, b_i)
template <Store kStore, class F>
HWY_INLINE void map(const float* a, const float* b, float* y, int64_t n, const F& f) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    store<kStore>(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), y + i);
  }
  if (i < n) store_part(f(d, load_part(a + i, n - i), load_part(b + i, n - i)), n - i, y + i);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_MAP_INL_H_
