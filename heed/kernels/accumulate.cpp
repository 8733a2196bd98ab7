#include "heed/kernels/accumulate.h"

#include <algorithm>

#include "heed/base/divide_up.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"

// Highway compiles this file once per instruction set: foreach_target.h includes it again and
// again, each time with another HWY_NAMESPACE. The name below is this file's own.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/accumulate.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

// First part, compiled per instruction set: plain functions on raw pointers, one thread.
HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void add(const T* x, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, y + i);
  }
  for (; i < n; ++i) y[i] += x[i];
}

void add_f32(const float* x, float* y, int64_t n) { add(x, y, n); }
void add_f64(const double* x, double* y, int64_t n) { add(x, y, n); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// Second part, compiled once: the choice at run time, threads, checks.
#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(add_f32);
HWY_EXPORT(add_f64);

void accumulate(Tensor& y, const Tensor& x) {
  check(y.shape() == x.shape() && y.dtype() == x.dtype() && y.is_contiguous(),
        "accumulate: cannot add {} to {}", x, y);
  const Tensor source = x.contiguous();
  const int64_t n = y.size();
  constexpr int64_t kBlock = 1 << 15;
  parallel_for(divide_up(n, kBlock), static_cast<double>(n) * 0.5, [&](int64_t block) {
    const int64_t begin = block * kBlock;
    const int64_t count = std::min(n - begin, kBlock);
    if (y.dtype() == DType::f32) {
      HWY_DYNAMIC_DISPATCH(add_f32)(source.data<float>() + begin, y.data<float>() + begin, count);
    } else {
      HWY_DYNAMIC_DISPATCH(add_f64)(source.data<double>() + begin, y.data<double>() + begin, count);
    }
  });
}

}  // namespace heed::kernels
#endif
