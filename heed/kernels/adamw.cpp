#include "heed/kernels/adamw.h"

#include <vector>

#include "heed/kernels/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/adamw.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/partial-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
struct Adamw {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  V gradient_scale, beta1, rest1, beta2, rest2, rate, v_root, epsilon, keep, min_m, min_v;

  Adamw(const AdamwFactors& f, double kept)
      : gradient_scale(set(f.gradient_scale)),
        beta1(set(f.beta1)),
        rest1(set(1 - f.beta1)),
        beta2(set(f.beta2)),
        rest2(set(1 - f.beta2)),
        rate(set(f.rate)),
        v_root(set(f.v_root)),
        epsilon(set(f.epsilon)),
        keep(set(kept)),
        min_m(set(1e-30)),
        min_v(set(1e-36)) {}

  static V set(double x) { return hn::Set(D(), static_cast<T>(x)); }

  HWY_INLINE void update(V gradient, V& p, V& m, V& v) const {
    const V g = hn::Mul(gradient_scale, gradient);
    m = hn::MulAdd(beta1, m, hn::Mul(rest1, g));
    m = hn::IfThenZeroElse(hn::Lt(hn::Abs(m), min_m), m);
    v = hn::MulAdd(beta2, v, hn::Mul(hn::Mul(rest2, g), g));
    v = hn::IfThenZeroElse(hn::Lt(v, min_v), v);
    const V step = hn::Div(m, hn::MulAdd(v_root, hn::Sqrt(v), epsilon));
    p = hn::NegMulAdd(rate, step, hn::Mul(keep, p));
  }
};

template <typename T>
void adamw_sweep(const AdamwFactors& factors, double keep, const T* g, T* p, T* m, T* v,
                 int64_t n) {
  const Adamw<T> adamw(factors, keep);
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto pi = hn::LoadU(d, p + i), mi = hn::LoadU(d, m + i), vi = hn::LoadU(d, v + i);
    adamw.update(hn::LoadU(d, g + i), pi, mi, vi);
    hn::StoreU(pi, d, p + i);
    hn::StoreU(mi, d, m + i);
    hn::StoreU(vi, d, v + i);
  }
  if (i == n) return;
  const auto rest = static_cast<size_t>(n - i);
  auto pi = load_first(d, p + i, rest), mi = load_first(d, m + i, rest);
  auto vi = load_first(d, v + i, rest);
  adamw.update(load_first(d, g + i, rest), pi, mi, vi);
  store_first(pi, d, p + i, rest);
  store_first(mi, d, m + i, rest);
  store_first(vi, d, v + i, rest);
}

template <typename T>
void adamw_piece(const AdamwFactors& factors, AdamwTensors& one, int64_t begin, int64_t count) {
  const Tensor& g = one.g;
  adamw_sweep(factors, one.keep, g.data<T>() + begin, one.p.data<T>() + begin,
              one.m.data<T>() + begin, one.v.data<T>() + begin, count);
}

void adamw_f32(const AdamwFactors& factors, AdamwTensors& one, int64_t begin, int64_t count) {
  adamw_piece<float>(factors, one, begin, count);
}
void adamw_f64(const AdamwFactors& factors, AdamwTensors& one, int64_t begin, int64_t count) {
  adamw_piece<double>(factors, one, begin, count);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(adamw_f32);
HWY_EXPORT(adamw_f64);

void adamw(std::span<AdamwTensors> all, const AdamwFactors& factors) {
  std::vector<int64_t> sizes;
  for (const AdamwTensors& one : all) sizes.push_back(one.p.size());
  for_pieces(sizes, 1.5, [&](const Piece& piece) {
    AdamwTensors& one = all[piece.array];
    if (one.p.dtype() == DType::f32) {
      HWY_DYNAMIC_DISPATCH(adamw_f32)(factors, one, piece.begin, piece.count);
    } else {
      HWY_DYNAMIC_DISPATCH(adamw_f64)(factors, one, piece.begin, piece.count);
    }
  });
}

}  // namespace heed::kernels
#endif
