// random_bits() of base/random.h, a vector of columns at a time.
#if defined(HEED_KERNELS_RANDOM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_RANDOM_INL_H_
#undef HEED_KERNELS_RANDOM_INL_H_
#else
#define HEED_KERNELS_RANDOM_INL_H_
#endif

#include <cstdint>

#include "heed/base/random.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The bits of the columns from `column` on; d has lanes of uint32_t.
template <class D>
HWY_INLINE hn::Vec<D> random_lanes(D d, RandomKey key, uint32_t column) {
  auto x = hn::Xor(hn::Iota(d, column), hn::Set(d, key.low));
  x = hn::Xor(x, hn::ShiftRight<17>(x));
  x = hn::Mul(x, hn::Set(d, 0xed5ad4bbu));
  x = hn::Add(x, hn::Set(d, key.high));
  x = hn::Xor(x, hn::ShiftRight<11>(x));
  x = hn::Mul(x, hn::Set(d, 0xac4c1b51u));
  x = hn::Xor(x, hn::ShiftRight<15>(x));
  x = hn::Mul(x, hn::Set(d, 0x31848babu));
  return hn::Xor(x, hn::ShiftRight<14>(x));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_RANDOM_INL_H_
