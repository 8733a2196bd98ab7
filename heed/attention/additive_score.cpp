// a(q, k) = sum_h w_h tanh(q_h + k_h), with q = W_q q and k = W_k k projected before.
//
//   da/dq_h = da/dk_h = w_h (1 - tanh^2)          da/dw_h = tanh
//
// tanh is computed again in backward: nothing of size T x S x h exists.

#include <cmath>
#include <utility>
#include <vector>

#include "heed/attention/tile_score_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/attention/additive_score.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hm = heed::kernels::HWY_NAMESPACE;

void forward_f32(const ScoreTile<float>& tile, const float* w, float* s) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < tile.rows; ++i) {
    const float* q = tile.queries + i * tile.width;
    for (int64_t j = 0; j < tile.columns; j += lanes) {
      auto sum = hn::Zero(d);
      for (int64_t h = 0; h < tile.width; ++h) {
        const auto x = hn::Add(hn::Set(d, q[h]), hn::LoadU(d, tile.keys + h * tile.key_stride + j));
        sum = hn::MulAdd(hn::Set(d, w[h]), hm::tanh(d, x), sum);
      }
      hn::StoreU(sum, d, s + i * kBlock + j);
    }
  }
}

void backward_f32(const ScoreTile<float>& tile, const float* w, const float* ds,
                  const ScoreGradients<float>& gradients) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto one = hn::Set(d, 1.0f);
  for (int64_t i = 0; i < tile.rows; ++i) {
    for (int64_t h = 0; h < tile.width; ++h) {
      const auto q = hn::Set(d, tile.queries[i * tile.width + h]);
      const auto weight = hn::Set(d, w[h]);
      auto dq = hn::Zero(d);
      auto dw = hn::Zero(d);
      for (int64_t j = 0; j < tile.columns; j += lanes) {
        const auto up = hn::LoadU(d, ds + i * kBlock + j);
        const auto live = hn::Ne(up, hn::Zero(d));
        const auto t = hm::tanh(d, hn::Add(q, hn::LoadU(d, tile.keys + h * tile.key_stride + j)));
        const auto slope = hn::Mul(hn::Mul(up, weight), hn::NegMulAdd(t, t, one));
        const auto term = hn::IfThenElseZero(live, slope);
        float* dk = gradients.keys + h * tile.key_stride + j;
        hn::StoreU(hn::Add(hn::LoadU(d, dk), term), d, dk);
        dq = hn::Add(dq, term);
        dw = hn::Add(dw, hn::IfThenElseZero(live, hn::Mul(up, t)));
      }
      gradients.queries[i * gradients.query_stride + h] += hn::GetLane(hn::SumOfLanes(d, dq));
      gradients.parameters[h] += hn::GetLane(hn::SumOfLanes(d, dw));
    }
  }
}

// dq_h += w_h sum_j ds_j (1 - tanh^2), many h at a time.
void backward_queries_f32(const ScoreTile<float>& tile, const float* w, const float* ds,
                          float* queries, int64_t stride) {
  const hn::ScalableTag<float> d;
  const auto one = hn::Set(d, 1.0f);
  for (int64_t i = 0; i < tile.rows; ++i) {
    const float* q = tile.queries + i * tile.width;
    float* dq = queries + i * stride;
    hm::for_vectors(tile.width, [&](int64_t h, auto part) HWY_ATTR {
      const auto query = hm::load(q + h, part);
      auto sum = hn::Zero(d);
      for (int64_t j = 0; j < tile.columns; ++j) {
        const float up = ds[i * kBlock + j];
        if (up == 0) continue;
        const auto t =
            hm::tanh(d, hn::Add(query, hm::load(tile.key_rows + j * tile.width + h, part)));
        sum = hn::MulAdd(hn::Set(d, up), hn::NegMulAdd(t, t, one), sum);
      }
      const auto total = hn::MulAdd(sum, hm::load(w + h, part), hm::load(dq + h, part));
      hm::store<kernels::Store::plain>(total, part, dq + h);
    });
  }
}

}  // namespace heed::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::engine {
namespace {

HWY_EXPORT(forward_f32);
HWY_EXPORT(backward_f32);
HWY_EXPORT(backward_queries_f32);

void forward_f64(const ScoreTile<double>& tile, const double* w, double* s) {
  for (int64_t i = 0; i < tile.rows; ++i) {
    for (int64_t j = 0; j < tile.columns; ++j) {
      double sum = 0;
      for (int64_t h = 0; h < tile.width; ++h) {
        sum +=
            w[h] * std::tanh(tile.queries[i * tile.width + h] + tile.keys[h * tile.key_stride + j]);
      }
      s[i * kBlock + j] = sum;
    }
  }
}

void backward_f64(const ScoreTile<double>& tile, const double* w, const double* ds,
                  const ScoreGradients<double>& gradients) {
  for (int64_t i = 0; i < tile.rows; ++i) {
    for (int64_t j = 0; j < tile.columns; ++j) {
      const double up = ds[i * kBlock + j];
      if (up == 0) continue;
      for (int64_t h = 0; h < tile.width; ++h) {
        const double t =
            std::tanh(tile.queries[i * tile.width + h] + tile.keys[h * tile.key_stride + j]);
        const double term = up * w[h] * (1 - t * t);
        gradients.queries[i * gradients.query_stride + h] += term;
        gradients.keys[h * tile.key_stride + j] += term;
        gradients.parameters[h] += up * t;
      }
    }
  }
}

template <typename T>
class AdditiveScore final : public TileScore<T> {
 public:
  explicit AdditiveScore(std::vector<T> w) : w_(std::move(w)) {}

  void forward(const ScoreTile<T>& tile, T* s) const override {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(forward_f32)(tile, w_.data(), s);
    } else {
      forward_f64(tile, w_.data(), s);
    }
  }

  void backward(const ScoreTile<T>& tile, const T* ds,
                const ScoreGradients<T>& gradients) const override {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(backward_f32)(tile, w_.data(), ds, gradients);
    } else {
      backward_f64(tile, w_.data(), ds, gradients);
    }
  }

  void backward_queries(const ScoreTile<T>& tile, const T* ds, T* queries,
                        int64_t stride) const override {
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(backward_queries_f32)(tile, w_.data(), ds, queries, stride);
    } else {
      TileScore<T>::backward_queries(tile, ds, queries, stride);
    }
  }

  int64_t parameter_count() const override { return static_cast<int64_t>(w_.size()); }

 private:
  std::vector<T> w_;
};

}  // namespace

template <typename T>
std::unique_ptr<TileScore<T>> make_additive_score(std::vector<T> w) {
  return std::make_unique<AdditiveScore<T>>(std::move(w));
}

template std::unique_ptr<TileScore<float>> make_additive_score(std::vector<float>);
template std::unique_ptr<TileScore<double>> make_additive_score(std::vector<double>);

}  // namespace heed::engine
#endif
