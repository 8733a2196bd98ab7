#include "heed/kernels/sgd.h"

#include <vector>

#include "heed/kernels/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/sgd.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/partial-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// m may be null: no momentum.
template <typename T>
void sgd_sweep(const SgdFactors& factors, double decay, const T* g, T* p, T* m, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto scale = hn::Set(d, static_cast<T>(factors.gradient_scale));
  const auto momentum = hn::Set(d, static_cast<T>(factors.momentum));
  const auto rate = hn::Set(d, static_cast<T>(factors.rate));
  const auto weight_decay = hn::Set(d, static_cast<T>(decay));
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += lanes) {
    const auto count = static_cast<size_t>(std::min(lanes, n - i));
    const bool whole = count == static_cast<size_t>(lanes);
    const auto load = [&](const T* x)
                          HWY_ATTR { return whole ? hn::LoadU(d, x) : load_first(d, x, count); };
    const auto store = [&](hn::Vec<hn::ScalableTag<T>> x, T* y) HWY_ATTR {
      if (whole) return hn::StoreU(x, d, y);
      store_first(x, d, y, count);
    };
    const auto pi = load(p + i);
    auto step = hn::MulAdd(weight_decay, pi, hn::Mul(scale, load(g + i)));
    if (m != nullptr) {
      step = hn::MulAdd(momentum, load(m + i), step);
      step = hn::IfThenZeroElse(hn::Lt(hn::Abs(step), hn::Set(d, static_cast<T>(1e-30))), step);
      store(step, m + i);
    }
    store(hn::NegMulAdd(rate, step, pi), p + i);
  }
}

template <typename T>
void sgd_piece(const SgdFactors& factors, SgdTensors& one, int64_t begin, int64_t count) {
  const Tensor& g = one.g;
  T* m = one.m.defined() ? one.m.data<T>() + begin : nullptr;
  sgd_sweep(factors, one.decay, g.data<T>() + begin, one.p.data<T>() + begin, m, count);
}

void sgd_f32(const SgdFactors& factors, SgdTensors& one, int64_t begin, int64_t count) {
  sgd_piece<float>(factors, one, begin, count);
}
void sgd_f64(const SgdFactors& factors, SgdTensors& one, int64_t begin, int64_t count) {
  sgd_piece<double>(factors, one, begin, count);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(sgd_f32);
HWY_EXPORT(sgd_f64);

void sgd(std::span<SgdTensors> all, const SgdFactors& factors) {
  std::vector<int64_t> sizes;
  for (const SgdTensors& one : all) sizes.push_back(one.p.size());
  for_pieces(sizes, 1, [&](const Piece& piece) {
    SgdTensors& one = all[piece.array];
    if (one.p.dtype() == DType::f32) {
      HWY_DYNAMIC_DISPATCH(sgd_f32)(factors, one, piece.begin, piece.count);
    } else {
      HWY_DYNAMIC_DISPATCH(sgd_f64)(factors, one, piece.begin, piece.count);
    }
  });
}

}  // namespace heed::kernels
#endif
