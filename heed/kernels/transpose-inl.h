// A vector of columns, transposed in registers. Included once per target, after highway.h.

#if defined(HEED_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_TRANSPOSE_INL_H_
#undef HEED_KERNELS_TRANSPOSE_INL_H_
#else
#define HEED_KERNELS_TRANSPOSE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Numbers in 16 bytes: the side of the squares that are transposed, in every 16 bytes of a vector.
template <typename T>
constexpr int kSquare = 16 / sizeof(T);

// Every 16 bytes of the vector from another place: block i from row i * kSquare.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* from, int64_t stride) {
  if constexpr (hn::MaxLanes(D()) <= kSquare<T>) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const auto rows = static_cast<int64_t>(hn::Lanes(half));
    return hn::Combine(d, load_blocks(half, from + rows * stride, stride),
                       load_blocks(half, from, stride));
  }
}

// w[k] lane r = from[r][k]
template <class D>
HWY_INLINE void load_transposed(D d, const float* from, int64_t stride, hn::Vec<D> (&w)[4]) {
  const hn::Repartition<double, D> pairs;
  const auto a = load_blocks(d, from, stride);
  const auto b = load_blocks(d, from + stride, stride);
  const auto c = load_blocks(d, from + 2 * stride, stride);
  const auto e = load_blocks(d, from + 3 * stride, stride);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  w[0] = hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low));
  w[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low));
  w[2] = hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high));
  w[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high));
}
template <class D>
HWY_INLINE void load_transposed(D d, const double* from, int64_t stride, hn::Vec<D> (&w)[2]) {
  const auto a = load_blocks(d, from, stride);
  const auto b = load_blocks(d, from + stride, stride);
  w[0] = hn::InterleaveLower(d, a, b);
  w[1] = hn::InterleaveUpper(d, a, b);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
