// An attention call with all its inputs, and what it gives: by the engine in either precision, and
// by the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/reference.h"
#include "heed/attention/weights.h"
#include "tests/ops/gradient_check.h"

namespace heed {

// Builds that take many times as long get smaller tests: with sanitizers, or run in an emulator.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HEED_EMULATED)
inline constexpr bool kSlow = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = false;
#endif
#else
inline constexpr bool kSlow = false;
#endif

// Floats as float64: both precisions and the reference see the same numbers.
inline Tensor numbers(const Shape& shape, uint64_t seed, double low = -1, double high = 1) {
  return random_tensor(shape, seed, DType::f32, low, high).to(DType::f64);
}

struct AttentionSizes {
  std::vector<int64_t> queries = {5, 3}, keys = {7, 4};  // lengths of the sequences
  int64_t heads = 2, kv_heads = 2, width = 4, value_width = 6;
  int64_t key_width = 0;  // 0: like width
  double low = -1, high = 1;
};

struct AttentionCase {
  std::string name;
  Rows query_rows, key_rows;
  Tensor q, k, v, dy;  // float64
  AttentionOptions options;

  AttentionCase() = default;
  explicit AttentionCase(const AttentionSizes& s, AttentionOptions with = {}, uint64_t seed = 1)
      : query_rows(Rows::from_lengths(s.queries)),
        key_rows(Rows::from_lengths(s.keys)),
        q(numbers({query_rows.total(), s.heads, s.width}, seed, s.low, s.high)),
        k(numbers({key_rows.total(), s.kv_heads, s.key_width > 0 ? s.key_width : s.width}, seed + 1,
                  s.low, s.high)),
        v(numbers({key_rows.total(), s.kv_heads, s.value_width}, seed + 2)),
        dy(numbers({query_rows.total(), s.heads, s.value_width}, seed + 3)),
        options(std::move(with)) {}
};

struct Outcome {
  Tensor y;
  AttentionGradients gradients;
};

using NamedTensors = std::vector<std::pair<const char*, Tensor>>;

inline NamedTensors tensors_of(const Outcome& o) {
  const AttentionGradients& g = o.gradients;
  return {{"y", o.y},         {"dq", g.dq},         {"dk", g.dk},     {"dv", g.dv},
          {"dbias", g.dbias}, {"dwidth", g.dwidth}, {"dw_q", g.dw_q}, {"dw_k", g.dw_k},
          {"dw_v", g.dw_v},   {"dm", g.dm}};
}

// The options with every tensor a parameter of this type, and these parameters' places.
struct ParameterOptions {
  AttentionOptions options;
  Variable width, w_q, w_k, w_v, m;

  ParameterOptions(const AttentionOptions& from, DType type) : options(from) {
    const auto take = [&](Variable& x) {
      if (x.value().defined()) x = Variable::parameter(x.value().to(type));
      return x;
    };
    take(options.bias);
    if (auto* s = std::get_if<Bilinear>(&options.score)) m = take(s->m);
    if (auto* s = std::get_if<Additive>(&options.score)) {
      w_q = take(s->w_q);
      w_k = take(s->w_k);
      w_v = take(s->w_v);
    }
    if (auto* s = std::get_if<Gaussian>(&options.score)) width = take(s->width);
    if (auto* s = std::get_if<Boxcar>(&options.score)) width = take(s->width);
    if (auto* s = std::get_if<Triangular>(&options.score)) width = take(s->width);
    if (auto* s = std::get_if<Epanechnikov>(&options.score)) width = take(s->width);
  }
};

inline Outcome run_engine(const AttentionCase& c, DType type) {
  const ParameterOptions with(c.options, type);
  const Variable q = Variable::parameter(c.q.to(type)), k = Variable::parameter(c.k.to(type)),
                 v = Variable::parameter(c.v.to(type));
  const Variable y = attention(q, k, v, c.query_rows, c.key_rows, with.options);
  const Tensor dy = c.dy.to(type);
  const Gradients g = backward(
      record(Tensor::zeros({1}, type), {y}, [dy](const Tensor&) { return std::vector{dy}; }));
  const auto of = [&](const Variable& x) {
    return x.requires_gradient() ? g.of(x).contiguous() : Tensor();
  };
  return {y.value().contiguous(),
          {of(q), of(k), of(v), of(with.options.bias), of(with.width), of(with.w_q), of(with.w_k),
           of(with.w_v), of(with.m)}};
}

inline Outcome run_reference(const AttentionCase& c) {
  return {reference_attention(c.q, c.k, c.v, c.query_rows, c.key_rows, c.options),
          reference_attention_gradients(c.q, c.k, c.v, c.query_rows, c.key_rows, c.options, c.dy)};
}

// Relative to the largest entry of a tensor. A tensor that is 0 but for rounding (the gradient of a
// softmax over one key) counts as one with entries of 0.1. The gradients of scores, that is all but
// y and dv, are differences of numbers near 1 whose rounding stays: for them a largest entry below
// `min` counts as `min`, or as 0.01 where the terms of all pairs cancel in a few sums (widths).
inline void expect_close_outcomes(const Outcome& a, const Outcome& b, double tolerance,
                                  const std::string& name, double min) {
  const NamedTensors left = tensors_of(a), right = tensors_of(b);
  for (size_t i = 0; i < left.size(); ++i) {
    const std::string tensor = left[i].first;
    const std::string what = name + ": " + tensor;
    ASSERT_EQ(left[i].second.defined(), right[i].second.defined()) << what;
    if (!left[i].second.defined()) continue;
    ASSERT_EQ(left[i].second.shape(), right[i].second.shape()) << what;
    const Tensor x = left[i].second.to(DType::f64), y = right[i].second.to(DType::f64);
    double scale = largest(y);
    if (scale < 1e-12) {
      scale = 0.1;
    } else if (tensor != "y" && tensor != "dv") {
      scale = std::max({scale, min, tensor == "dwidth" ? 0.01 : 0.0});
    }
    for (int64_t n = 0; n < x.size(); ++n) {
      ASSERT_NEAR(x.data<double>()[n], y.data<double>()[n], tolerance * scale)
          << what << ", element " << n << " of " << y.text() << ", scale " << scale;
    }
  }
}

inline void expect_same_outcomes(const Outcome& a, const Outcome& b, const std::string& name) {
  const NamedTensors left = tensors_of(a), right = tensors_of(b);
  for (size_t i = 0; i < left.size(); ++i) {
    const std::string what = name + ": " + left[i].first;
    ASSERT_EQ(left[i].second.defined(), right[i].second.defined()) << what;
    if (left[i].second.defined()) {
      expect_same_bits(left[i].second, right[i].second, what.c_str());
    }
  }
}

// The engine in both precisions against the reference, outputs and gradients.
inline void check_engine(const AttentionCase& c, double tolerance = 1e-5, double min = 1e-3) {
  SCOPED_TRACE(c.name);
  const Outcome reference = run_reference(c);
  expect_close_outcomes(run_engine(c, DType::f64), reference, 1e-11, "float64", min);
  expect_close_outcomes(run_engine(c, DType::f32), reference, tolerance, "float32", min);
}

// A score of every kind, for queries of width Dq and keys of width Dk (only bilinear, additive and
// custom scores allow these to differ). `positive`: the scores are, for positive q and k, and low
// enough for tanh to have a slope. `hidden`: the h of additive scores.
struct NamedScore {
  const char* name;
  Score score;
};

inline CustomScore custom_score() {  // a = q_0 k_0 + q_1 k_1^2 / 2, with q_1 = q_0 if D = 1
  return {[](std::span<const double> q, std::span<const double> k) {
            return q.front() * k.front() + q.back() * k.back() * k.back() / 2;
          },
          [](std::span<const double> q, std::span<const double> k, double ds, std::span<double> dq,
             std::span<double> dk) {
            dq.front() += ds * k.front();
            dk.front() += ds * q.front();
            dq.back() += ds * k.back() * k.back() / 2;
            dk.back() += ds * q.back() * k.back();
          }};
}

inline std::vector<NamedScore> all_scores(int64_t dq, int64_t dk, bool positive,
                                          int64_t hidden = 5) {
  const double low = positive ? 0.1 : -1, high = positive ? 0.3 : 1;
  std::vector<NamedScore> scores = {
      {"bilinear", Bilinear{numbers({dq, dk}, 31, low, high)}},
      {"additive", Additive{numbers({hidden, dq}, 32, low, high),
                            numbers({hidden, dk}, 33, low, high), numbers({hidden}, 34, low)}},
  };
  if (dq != dk) return scores;
  const std::vector<NamedScore> more = {
      {"scaled dot", ScaledDot{}},
      {"scaled dot 0.7", ScaledDot{0.7}},
      {"dot", Dot{}},
      {"gaussian", Gaussian{}},
      {"gaussian, one width", Gaussian{numbers({1}, 35, 0.5, 1.5)}},
      {"gaussian, widths", Gaussian{numbers({dq}, 36, 0.5, 1.5)}},
      {"boxcar", Boxcar{numbers({1}, 37, 0.8, 1.6)}},
      {"triangular", Triangular{numbers({dq}, 38, 1.5, 2.5)}},
      {"epanechnikov", Epanechnikov{numbers({dq}, 39, 1.5, 2.5)}},
      {"constant", Constant{}},
      {"custom", custom_score()},
  };
  scores.insert(scores.end(), more.begin(), more.end());
  return scores;
}

inline const char* name_of(Normalizer n) {
  const char* names[] = {"softmax", "sum", "none", "one-hot"};
  return names[static_cast<int>(n)];
}
inline constexpr Normalizer kNormalizers[] = {Normalizer::softmax, Normalizer::sum,
                                              Normalizer::none, Normalizer::one_hot};

}  // namespace heed
