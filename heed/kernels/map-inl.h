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

// Which lanes of a vector are inside the array: all of them, or the first `count`.
struct Whole {};
struct Part {
  int64_t count;
};

// The first `count` numbers at x, then `fill`.
HWY_INLINE FloatVector load_part(const float* x, int64_t count, float fill = 0) {
  HWY_ALIGN float buffer[hn::MaxLanes(FloatTag())];
  for (float& lane : buffer) lane = fill;
  std::copy_n(x, count, buffer);
  return hn::Load(FloatTag(), buffer);
}

HWY_INLINE void store_part(FloatVector v, int64_t count, float* y) {
  HWY_ALIGN float buffer[hn::MaxLanes(FloatTag())];
  hn::Store(v, FloatTag(), buffer);
  std::copy_n(buffer, count, y);
}

HWY_INLINE FloatVector load(const float* x, Whole, float = 0) { return hn::LoadU(FloatTag(), x); }
HWY_INLINE FloatVector load(const float* x, Part part, float fill = 0) {
  return load_part(x, part.count, fill);
}

template <Store kStore>
HWY_INLINE void store(FloatVector v, Whole, float* y) {
  if constexpr (kStore == Store::stream) {
    hn::Stream(v, FloatTag(), y);
  } else {
    hn::StoreU(v, FloatTag(), y);
  }
}
template <Store kStore>
HWY_INLINE void store(FloatVector v, Part part, float* y) {
  store_part(v, part.count, y);
}

// Calls f(i, Whole) for every vector of an array of n numbers, and f(i, Part) for the rest.
template <class F>
HWY_INLINE void for_vectors(int64_t n, const F& f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, Whole{});
  if (i < n) f(i, Part{n - i});
}

// The sum of term(i, Whole or Part) over an array of n numbers: four running sums, in an order that
// depends on n alone. Past the end term must be 0.
template <class Term>
HWY_INLINE float sum_over(int64_t n, const Term& term) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, term(i, Whole{}));
    s1 = hn::Add(s1, term(i + lanes, Whole{}));
    s2 = hn::Add(s2, term(i + 2 * lanes, Whole{}));
    s3 = hn::Add(s3, term(i + 3 * lanes, Whole{}));
  }
  for (; i + lanes <= n; i += lanes) s0 = hn::Add(s0, term(i, Whole{}));
  if (i < n) s1 = hn::Add(s1, term(i, Part{n - i}));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

// y_i = f(d, x_i)
template <Store kStore, class F>
HWY_INLINE void map(const float* x, float* y, int64_t n, const F& f) {
  for_vectors(n, [&](int64_t i, auto part)
                     HWY_ATTR { store<kStore>(f(FloatTag(), load(x + i, part)), part, y + i); });
}

// y_i = f(d, a_i, b_i)
template <Store kStore, class F>
HWY_INLINE void map(const float* a, const float* b, float* y, int64_t n, const F& f) {
  for_vectors(n, [&](int64_t i, auto part) HWY_ATTR {
    store<kStore>(f(FloatTag(), load(a + i, part), load(b + i, part)), part, y + i);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_MAP_INL_H_
