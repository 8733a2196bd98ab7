// Bounds that a NaN passes, so that a run that diverges is noticed.
//
// hn::Min and hn::Max are what the processor has: of a number and a NaN, x86 gives the second and
// Arm the number. Where a NaN must stay, call these; where something else carries it on, as exp(NaN
// - m) does for the maximum m of a row, hn::Max will do.
#if defined(HEED_KERNELS_BOUND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_BOUND_INL_H_
#undef HEED_KERNELS_BOUND_INL_H_
#else
#define HEED_KERNELS_BOUND_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// min(x, limit), or NaN if x is one.
template <class D>
HWY_INLINE hn::Vec<D> at_most(D d, hn::Vec<D> x, hn::TFromD<D> limit) {
  const auto max = hn::Set(d, limit);
#if HWY_ARCH_X86
  return hn::Min(max, x);  // in this order
#else
  return hn::IfThenElse(hn::Lt(max, x), max, x);
#endif
}

// max(x, limit), or NaN if x is one.
template <class D>
HWY_INLINE hn::Vec<D> at_least(D d, hn::Vec<D> x, hn::TFromD<D> limit) {
  const auto min = hn::Set(d, limit);
#if HWY_ARCH_X86
  return hn::Max(min, x);
#else
  return hn::IfThenElse(hn::Gt(min, x), min, x);
#endif
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_BOUND_INL_H_
