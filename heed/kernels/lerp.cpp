#include "heed/kernels/lerp.h"

#include <vector>

#include "heed/kernels/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/lerp.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/partial-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void lerp_sweep(T* a, const T* x, double rate, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, static_cast<T>(rate));
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto ai = hn::LoadU(d, a + i);
    hn::StoreU(hn::MulAdd(factor, hn::Sub(hn::LoadU(d, x + i), ai), ai), d, a + i);
  }
  if (i == n) return;
  const auto rest = static_cast<size_t>(n - i);
  const auto ai = load_first(d, a + i, rest);
  const auto xi = load_first(d, x + i, rest);
  store_first(hn::MulAdd(factor, hn::Sub(xi, ai), ai), d, a + i, rest);
}

void lerp_f32(float* a, const float* x, double rate, int64_t n) { lerp_sweep(a, x, rate, n); }
void lerp_f64(double* a, const double* x, double rate, int64_t n) { lerp_sweep(a, x, rate, n); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(lerp_f32);
HWY_EXPORT(lerp_f64);

void lerp(std::span<Tensor> a, std::span<const Tensor> x, double rate) {
  std::vector<int64_t> sizes;
  for (const Tensor& one : a) sizes.push_back(one.size());
  for_pieces(sizes, 0.7, [&](const Piece& piece) {
    Tensor& to = a[piece.array];
    const Tensor& from = x[piece.array];
    if (to.dtype() == DType::f32) {
      HWY_DYNAMIC_DISPATCH(lerp_f32)
      (to.data<float>() + piece.begin, from.data<float>() + piece.begin, rate, piece.count);
    } else {
      HWY_DYNAMIC_DISPATCH(lerp_f64)
      (to.data<double>() + piece.begin, from.data<double>() + piece.begin, rate, piece.count);
    }
  });
}

}  // namespace heed::kernels
#endif
