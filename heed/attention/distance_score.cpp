// Scores of the distance u = |(q - k) / width|:
//
//   gaussian      a = -u^2 / 2            da/d(u^2) = -1/2
//   boxcar        a = 1 if u <= 1         0
//   triangular    a = max(0, 1 - u)       -1 / (2u) inside, 0 at u = 0
//   epanechnikov  a = max(0, 1 - u^2)     -1 inside
//
//   d(u^2)/dq = 2 (q - k) / width^2       d(u^2)/dk = -d(u^2)/dq
//   d(u^2)/dwidth = -2 (q - k)^2 / width^3
//
// Distances come from differences, never from the expansion |q|^2 - 2 q.k + |k|^2, which loses all
// digits for data such as years. A difference is taken before it is divided by the width, for the
// same reason.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/attention/tile_score_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/attention/distance_score.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/bound-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hm = heed::kernels::HWY_NAMESPACE;

// u^2 of kRows queries and one vector of keys.
template <int kRows, typename T, class D>
HWY_INLINE void squared_distances(D d, const ScoreTile<T>& tile, const T* inverse, int64_t row,
                                  int64_t column, hn::Vec<D>* sums) {
  HWY_UNROLL(4)
  for (int i = 0; i < kRows; ++i) sums[i] = hn::Zero(d);
  const T* q = tile.queries + row * tile.width;
  for (int64_t x = 0; x < tile.width; ++x) {
    const auto key = hn::LoadU(d, tile.keys + x * tile.key_stride + column);
    const auto scale = hn::Set(d, inverse[x]);
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) {
      const auto u = hn::Mul(hn::Sub(hn::Set(d, q[i * tile.width + x]), key), scale);
      sums[i] = hn::MulAdd(u, u, sums[i]);
    }
  }
}

template <class D>
HWY_INLINE hn::Vec<D> kernel_value(D d, DistanceKernel kernel, hn::Vec<D> square,
                                   hn::TFromD<D> reach) {
  const auto one = hn::Set(d, 1);
  const auto zero = hn::Zero(d);
  switch (kernel) {
    case DistanceKernel::gaussian: return hn::Mul(square, hn::Set(d, -0.5));
    case DistanceKernel::boxcar:
      return hn::IfThenElse(hn::IsNaN(square), square,
                            hn::IfThenElseZero(hn::Le(square, hn::Set(d, reach)), one));
    case DistanceKernel::triangular: return hm::at_least(d, hn::Sub(one, hn::Sqrt(square)), 0);
    case DistanceKernel::epanechnikov: return hm::at_least(d, hn::Sub(one, square), 0);
  }
  return zero;
}

// da/d(u^2)
template <class D>
HWY_INLINE hn::Vec<D> kernel_slope(D d, DistanceKernel kernel, hn::Vec<D> square) {
  const auto half = hn::Set(d, -0.5);
  const auto inside = hn::Lt(square, hn::Set(d, 1));
  switch (kernel) {
    case DistanceKernel::gaussian: return half;
    case DistanceKernel::boxcar: return hn::Zero(d);
    case DistanceKernel::triangular: {
      const auto known = hn::And(inside, hn::Gt(square, hn::Zero(d)));
      return hn::IfThenElseZero(known, hn::Div(half, hn::Sqrt(square)));
    }
    case DistanceKernel::epanechnikov: return hn::IfThenElseZero(inside, hn::Set(d, -1));
  }
  return half;
}

template <int kRows, typename T>
HWY_INLINE void forward_rows(DistanceKernel kernel, const ScoreTile<T>& tile, const T* inverse,
                             T reach, int64_t row, T* s) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> sums[kRows];
  for (int64_t j = 0; j < tile.columns; j += static_cast<int64_t>(hn::Lanes(d))) {
    squared_distances<kRows>(d, tile, inverse, row, j, sums);
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) {
      hn::StoreU(kernel_value(d, kernel, sums[i], reach), d, s + (row + i) * kBlock + j);
    }
  }
}

// The Gaussian of points with few coordinates, which stay in registers: a is the sum of
// factor (q - k)^2 with factor = -1 / (2 width^2). With one width for all it comes last.
template <int kRows, int kWidth, bool kOneWidth, typename T>
HWY_INLINE void gaussian_rows(const ScoreTile<T>& tile, const T* factors, int64_t row, T* s) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V q[kRows * kWidth], factor[kWidth];
  for (int i = 0; i < kRows * kWidth; ++i) q[i] = hn::Set(d, tile.queries[row * kWidth + i]);
  for (int x = 0; x < kWidth; ++x) factor[x] = hn::Set(d, factors[x]);
  for (int64_t j = 0; j < tile.columns; j += static_cast<int64_t>(hn::Lanes(d))) {
    V key[kWidth];
    HWY_UNROLL(4)
    for (int x = 0; x < kWidth; ++x) key[x] = hn::LoadU(d, tile.keys + x * tile.key_stride + j);
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) {
      V sum;
      HWY_UNROLL(4)
      for (int x = 0; x < kWidth; ++x) {
        const V difference = hn::Sub(q[i * kWidth + x], key[x]);
        const V other = kOneWidth ? difference : hn::Mul(difference, factor[x]);
        sum = x == 0 ? hn::Mul(other, difference) : hn::MulAdd(other, difference, sum);
      }
      if (kOneWidth) sum = hn::Mul(sum, factor[0]);
      hn::StoreU(sum, d, s + (row + i) * kBlock + j);
    }
  }
}

template <int kWidth, typename T>
HWY_INLINE void gaussian_tile(const ScoreTile<T>& tile, const T* factors, T* s) {
  const bool one_width =
      std::all_of(factors, factors + kWidth, [&](T f) { return f == factors[0]; });
  const auto rows = [&](auto one) {
    constexpr bool kOneWidth = decltype(one)::value;
    int64_t row = 0;
    for (; row + 4 <= tile.rows; row += 4)
      gaussian_rows<4, kWidth, kOneWidth>(tile, factors, row, s);
    for (; row < tile.rows; ++row) gaussian_rows<1, kWidth, kOneWidth>(tile, factors, row, s);
  };
  if (one_width) return rows(std::true_type());
  rows(std::false_type());
}

template <typename T>
void narrow_gaussian(const ScoreTile<T>& tile, const T* factors, T* s) {
  switch (tile.width) {
    case 1: return gaussian_tile<1>(tile, factors, s);
    case 2: return gaussian_tile<2>(tile, factors, s);
    case 3: return gaussian_tile<3>(tile, factors, s);
    default: return;
  }
}

template <typename T>
void forward(DistanceKernel kernel, const ScoreTile<T>& tile, const T* inverse, T reach, T* s) {
  int64_t row = 0;
  for (; row + 4 <= tile.rows; row += 4) forward_rows<4>(kernel, tile, inverse, reach, row, s);
  for (; row < tile.rows; ++row) forward_rows<1>(kernel, tile, inverse, reach, row, s);
}

template <typename T>
void backward(DistanceKernel kernel, const ScoreTile<T>& tile, const T* inverse, const T* ds,
              const ScoreGradients<T>& gradients) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  T slope[kBlock];  // dL/d(u^2), one query against the block
  for (int64_t i = 0; i < tile.rows; ++i) {
    for (int64_t j = 0; j < tile.columns; j += lanes) {
      hn::Vec<decltype(d)> square;
      squared_distances<1>(d, tile, inverse, i, j, &square);
      const auto up = hn::LoadU(d, ds + i * kBlock + j);
      const auto product = hn::Mul(up, kernel_slope(d, kernel, square));
      hn::StoreU(hn::IfThenZeroElse(hn::Eq(up, hn::Zero(d)), product), d, slope + j);
    }
    for (int64_t x = 0; x < tile.width; ++x) {
      const auto q = hn::Set(d, tile.queries[i * tile.width + x]);
      const auto scale = hn::Set(d, 2 * inverse[x] * inverse[x]);
      auto dq = hn::Zero(d);
      auto dwidth = hn::Zero(d);
      for (int64_t j = 0; j < tile.columns; j += lanes) {
        const auto c = hn::LoadU(d, slope + j);
        const auto live = hn::Ne(c, hn::Zero(d));
        const auto difference = hn::Sub(q, hn::LoadU(d, tile.keys + x * tile.key_stride + j));
        const auto term = hn::IfThenElseZero(live, hn::Mul(hn::Mul(c, scale), difference));
        T* dk = gradients.keys + x * tile.key_stride + j;
        hn::StoreU(hn::Sub(hn::LoadU(d, dk), term), d, dk);
        dq = hn::Add(dq, term);
        dwidth = hn::Sub(dwidth, hn::IfThenElseZero(live, hn::Mul(term, difference)));
      }
      gradients.queries[i * gradients.query_stride + x] += hn::GetLane(hn::SumOfLanes(d, dq));
      gradients.parameters[x] += hn::GetLane(hn::SumOfLanes(d, dwidth)) * inverse[x];
    }
  }
}

void forward_f32(DistanceKernel kernel, const ScoreTile<float>& tile, const float* inverse,
                 float reach, float* s) {
  forward(kernel, tile, inverse, reach, s);
}
void forward_f64(DistanceKernel kernel, const ScoreTile<double>& tile, const double* inverse,
                 double reach, double* s) {
  forward(kernel, tile, inverse, reach, s);
}
void narrow_gaussian_f32(const ScoreTile<float>& tile, const float* factors, float* s) {
  narrow_gaussian(tile, factors, s);
}
void narrow_gaussian_f64(const ScoreTile<double>& tile, const double* factors, double* s) {
  narrow_gaussian(tile, factors, s);
}
void backward_f32(DistanceKernel kernel, const ScoreTile<float>& tile, const float* inverse,
                  const float* ds, const ScoreGradients<float>& gradients) {
  backward(kernel, tile, inverse, ds, gradients);
}
void backward_f64(DistanceKernel kernel, const ScoreTile<double>& tile, const double* inverse,
                  const double* ds, const ScoreGradients<double>& gradients) {
  backward(kernel, tile, inverse, ds, gradients);
}

}  // namespace heed::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::engine {
namespace {

HWY_EXPORT(forward_f32);
HWY_EXPORT(forward_f64);
HWY_EXPORT(narrow_gaussian_f32);
HWY_EXPORT(narrow_gaussian_f64);
HWY_EXPORT(backward_f32);
HWY_EXPORT(backward_f64);

constexpr size_t kNarrow = 3;  // coordinates that narrow_gaussian knows

template <typename T>
class DistanceScore final : public TileScore<T> {
 public:
  DistanceScore(DistanceKernel kernel, std::vector<T> widths)
      : kernel_(kernel), inverse_(std::move(widths)) {
    const T first = inverse_[0];
    const bool shared =
        std::all_of(inverse_.begin(), inverse_.end(), [&](T w) { return w == first; });
    for (T& width : inverse_) width = 1 / width;
    // The edge belongs to the boxcar. With one width |q - k| can be compared with it as it stands,
    // and a distance of exactly one width is found as such; u would be rounded.
    if (kernel == DistanceKernel::boxcar && shared && std::isnormal(first * first)) {
      std::fill(inverse_.begin(), inverse_.end(), T{1});
      reach_ = first * first;
    }
    if (kernel != DistanceKernel::gaussian || inverse_.size() > kNarrow) return;
    for (const T inverse : inverse_) factors_.push_back(-inverse * inverse / 2);
    // Widths whose square is out of range take the general way, which does not square them.
    const bool usable = std::all_of(factors_.begin(), factors_.end(),
                                    [](T factor) { return std::isnormal(factor); });
    if (!usable) factors_.clear();
  }

  void forward(const ScoreTile<T>& tile, T* s) const override {
    const bool narrow = !factors_.empty();
    if constexpr (std::is_same_v<T, float>) {
      if (narrow) return HWY_DYNAMIC_DISPATCH(narrow_gaussian_f32)(tile, factors_.data(), s);
      HWY_DYNAMIC_DISPATCH(forward_f32)(kernel_, tile, inverse_.data(), reach_, s);
    } else {
      if (narrow) return HWY_DYNAMIC_DISPATCH(narrow_gaussian_f64)(tile, factors_.data(), s);
      HWY_DYNAMIC_DISPATCH(forward_f64)(kernel_, tile, inverse_.data(), reach_, s);
    }
  }

  void backward(const ScoreTile<T>& tile, const T* ds,
                const ScoreGradients<T>& gradients) const override {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(backward_f32)(kernel_, tile, inverse_.data(), ds, gradients);
    } else {
      HWY_DYNAMIC_DISPATCH(backward_f64)(kernel_, tile, inverse_.data(), ds, gradients);
    }
  }

  int64_t parameter_count() const override { return static_cast<int64_t>(inverse_.size()); }

 private:
  DistanceKernel kernel_;
  std::vector<T> inverse_;  // 1 / width, [D]
  std::vector<T> factors_;  // -1 / (2 width^2), [D]; only for the Gaussian of few coordinates
  T reach_ = 1;             // boxcar: the largest square inside
};

}  // namespace

template <typename T>
std::unique_ptr<TileScore<T>> make_distance_score(DistanceKernel kernel, std::vector<T> widths) {
  return std::make_unique<DistanceScore<T>>(kernel, std::move(widths));
}

template std::unique_ptr<TileScore<float>> make_distance_score(DistanceKernel, std::vector<float>);
template std::unique_ptr<TileScore<double>> make_distance_score(DistanceKernel,
                                                                std::vector<double>);

}  // namespace heed::engine
#endif
