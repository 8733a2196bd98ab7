// Loads and stores of the first lanes of a vector, which touch no other memory.
//
// AVX2 and AVX-512 have instructions for it. Elsewhere Highway's MaskedLoad and BlendedStore read
// and write whole vectors, so the lanes go through a buffer.
#if defined(HEED_KERNELS_PARTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_PARTIAL_INL_H_
#undef HEED_KERNELS_PARTIAL_INL_H_
#else
#define HEED_KERNELS_PARTIAL_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first `count` numbers at x, then 0.
template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, const hn::TFromD<D>* x, size_t count) {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  return hn::MaskedLoad(hn::FirstN(d, count), d, x);
#else
  HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(d)] = {};
  std::copy_n(x, count, buffer);
  return hn::Load(d, buffer);
#endif
}

template <class D>
HWY_INLINE void store_first(hn::Vec<D> v, D d, hn::TFromD<D>* x, size_t count) {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  hn::BlendedStore(v, hn::FirstN(d, count), d, x);
#else
  HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(d)];
  hn::Store(v, d, buffer);
  std::copy_n(buffer, count, x);
#endif
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
