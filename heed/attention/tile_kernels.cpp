#include "heed/attention/tile_kernels_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/tile_score_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/attention/tile_kernels.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"
// After highway.h.
#include "heed/kernels/math-inl.h"
#include "heed/kernels/random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hm = heed::kernels::HWY_NAMESPACE;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Sums run in kStep fixed lanes whatever the vector length, folded in halves at the end.
constexpr int kParts = kStep / HWY_LANES(float) > 0 ? kStep / HWY_LANES(float) : 1;

template <class D>
HWY_INLINE float fold(D d, const hn::Vec<D> (&parts)[kParts]) {
  auto total = parts[0];
  HWY_UNROLL(4)
  for (int i = 1; i < kParts; ++i) total = hn::Add(total, parts[i]);
  return hn::GetLane(hn::SumOfLanes(d, total));
}

// The largest score of a row. A NaN may be lost here; exp(NaN - m) still reaches the sum.
HWY_INLINE float row_max(int64_t columns, const float* s) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto top = hn::Set(d, -kInfinity);
  auto other = top;
  int64_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    top = hn::Max(top, hn::LoadU(d, s + j));
    other = hn::Max(other, hn::LoadU(d, s + j + lanes));
  }
  for (; j < columns; j += lanes) top = hn::Max(top, hn::LoadU(d, s + j));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(top, other)));
}

// A row that no score has reached yet: only NaNs, which the maximum has lost, count.
HWY_INLINE void empty_row(int64_t columns, float* s, float* sum) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto lost = hn::Zero(d);
  for (int64_t j = 0; j < columns; j += lanes) {
    const auto x = hn::LoadU(d, s + j);
    const auto kept = hn::IfThenElse(hn::IsNaN(x), x, hn::Zero(d));
    hn::StoreU(kept, d, s + j);
    lost = hn::Add(lost, kept);
  }
  *sum += hn::GetLane(hn::SumOfLanes(d, lost));
}

HWY_INLINE void softmax_row(int64_t columns, float* s, float* max, float* sum, float* output,
                            int64_t value_width) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float top = std::max(*max, row_max(columns, s));
  if (top == -kInfinity) return empty_row(columns, s, sum);
  const auto m = hn::Set(d, top);
  hn::Vec<decltype(d)> parts[kParts];
  HWY_UNROLL(4)
  for (int p = 0; p < kParts; ++p) parts[p] = hn::Zero(d);
  for (int64_t j = 0; j < columns; j += kStep) {
    HWY_UNROLL(4)
    for (int p = 0; p < kParts; ++p) {
      float* at = s + j + p * lanes;
      const auto e = hm::exp_nonpositive(d, hn::Sub(hn::LoadU(d, at), m));
      hn::StoreU(e, d, at);
      parts[p] = hn::Add(parts[p], e);
    }
  }
  const float total = fold(d, parts);
  const float before = *max;
  if (before == top) {
    *sum += total;
    return;
  }
  const float scale =
      hn::GetLane(hm::exp_nonpositive(d, hn::Set(d, before - top)));  // 0 the first time
  *max = top;
  *sum = *sum * scale + total;
  const auto factor = hn::Set(d, scale);
  int64_t j = 0;
  for (; j + lanes <= value_width; j += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, output + j), factor), d, output + j);
  }
  for (; j < value_width; ++j) output[j] *= scale;
}

void softmax_step_f32(int64_t rows, int64_t columns, float* s, float* max, float* sum,
                      float* output, int64_t value_width) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    softmax_row(columns, s, max + i, sum + i, output + i * value_width, value_width);
  }
}

void add_scalar_values_f32(int64_t rows, int64_t columns, const float* w, const float* values,
                           bool finite, float* output) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < rows; ++i, w += kBlock) {
    hn::Vec<decltype(d)> parts[kParts];
    HWY_UNROLL(4)
    for (int p = 0; p < kParts; ++p) parts[p] = hn::Zero(d);
    for (int64_t j = 0; j < columns; j += kStep) {
      HWY_UNROLL(4)
      for (int p = 0; p < kParts; ++p) {
        const auto weight = hn::LoadU(d, w + j + p * lanes);
        auto value = hn::LoadU(d, values + j + p * lanes);
        if (!finite) value = hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), value);
        parts[p] = hn::MulAdd(weight, value, parts[p]);
      }
    }
    output[i] += fold(d, parts);
  }
}

// kRows rows at a time: their chains of operations overlap.
template <int kRows, bool kFinite>
HWY_INLINE void softmax_lanes_rows(int64_t columns, const float* s, const float* values,
                                   float* state) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V top[kRows][kParts], weights[kRows][kParts], weighted[kRows][kParts];
  HWY_UNROLL(4)
  for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(4)
    for (int p = 0; p < kParts; ++p) {
      top[i][p] = hn::LoadU(d, state + i * kLaneState + p * lanes);
      weights[i][p] = weighted[i][p] = hn::Zero(d);
    }
  }
  for (int64_t j = 0; j < columns; j += kStep) {
    HWY_UNROLL(4)
    for (int i = 0; i < kRows; ++i) {
      HWY_UNROLL(4)
      for (int p = 0; p < kParts; ++p) {  // in this order of arguments a NaN is lost
        top[i][p] = hn::Max(hn::LoadU(d, s + i * kBlock + j + p * lanes), top[i][p]);
      }
    }
  }
  for (int64_t j = 0; j < columns; j += kStep) {
    HWY_UNROLL(4)
    for (int p = 0; p < kParts; ++p) {
      const auto value = hn::LoadU(d, values + j + p * lanes);
      HWY_UNROLL(4)
      for (int i = 0; i < kRows; ++i) {
        const auto x = hn::LoadU(d, s + i * kBlock + j + p * lanes);
        const auto e = hm::exp_nonpositive(d, hn::Sub(x, top[i][p]));
        weights[i][p] = hn::Add(weights[i][p], e);
        const auto factor = kFinite ? value : hn::IfThenZeroElse(hn::Eq(e, hn::Zero(d)), value);
        weighted[i][p] = hn::MulAdd(e, factor, weighted[i][p]);
      }
    }
  }
  HWY_UNROLL(4)
  for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(4)
    for (int p = 0; p < kParts; ++p) {
      float* max = state + i * kLaneState + p * lanes;
      float* sum = max + kStep;
      float* output = sum + kStep;
      const auto before = hn::LoadU(d, max);
      if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(before, top[i][p])))) {  // as below with a scale of 1
        hn::StoreU(hn::Add(hn::LoadU(d, sum), weights[i][p]), d, sum);
        hn::StoreU(hn::Add(hn::LoadU(d, output), weighted[i][p]), d, output);
        continue;
      }
      const auto scale = hm::exp_nonpositive(d, hn::Sub(before, top[i][p]));
      hn::StoreU(top[i][p], d, max);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, sum), scale, weights[i][p]), d, sum);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, output), scale, weighted[i][p]), d, output);
    }
  }
}

template <bool kFinite>
HWY_INLINE void softmax_lanes(int64_t rows, int64_t columns, const float* s, const float* values,
                              float* state) {
  constexpr int kTogether = kParts < 4 ? 4 / kParts : 1;
  int64_t i = 0;
  for (; i + kTogether <= rows; i += kTogether) {
    softmax_lanes_rows<kTogether, kFinite>(columns, s + i * kBlock, values, state + i * kLaneState);
  }
  for (; i < rows; ++i) {
    softmax_lanes_rows<1, kFinite>(columns, s + i * kBlock, values, state + i * kLaneState);
  }
}

void softmax_lanes_step_f32(int64_t rows, int64_t columns, const float* s, const float* values,
                            bool finite, float* state) {
  if (finite) return softmax_lanes<true>(rows, columns, s, values, state);
  softmax_lanes<false>(rows, columns, s, values, state);
}

void softmax_lanes_end_f32(int64_t rows, const float* state, float* max, float* sum,
                           float* output) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < rows; ++i, state += kLaneState) {
    const float top = row_max(kStep, state);
    hn::Vec<decltype(d)> weights[kParts], weighted[kParts];
    HWY_UNROLL(4)
    for (int p = 0; p < kParts; ++p) {
      const float* at = state + p * lanes;
      const auto scale = hm::exp_nonpositive(d, hn::Sub(hn::LoadU(d, at), hn::Set(d, top)));
      weights[p] = hn::Mul(hn::LoadU(d, at + kStep), scale);
      weighted[p] = hn::Mul(hn::LoadU(d, at + 2 * kStep), scale);
    }
    sum[i] = fold(d, weights);
    output[i] = fold(d, weighted);
    max[i] = sum[i] == 0 ? -kInfinity : top;  // no key
  }
}

void softmax_weights_f32(int64_t rows, int64_t columns, float* s, const float* max,
                         const float* inverse_sum) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    const auto m = hn::Set(d, max[i] == -kInfinity ? 0.0f : max[i]);
    const auto scale = hn::Set(d, inverse_sum[i]);
    if (std::isnan(inverse_sum[i])) {  // a NaN among the scores; masked weights are 0 all the same
      for (int64_t j = 0; j < columns; j += lanes) {
        const auto masked = hn::Eq(hn::LoadU(d, s + j), hn::Set(d, -kInfinity));
        hn::StoreU(hn::IfThenZeroElse(masked, scale), d, s + j);
      }
      continue;
    }
    for (int64_t j = 0; j < columns; j += lanes) {
      const auto e = hm::exp_nonpositive(d, hn::Sub(hn::LoadU(d, s + j), m));
      hn::StoreU(hn::Mul(e, scale), d, s + j);
    }
  }
}

void softmax_backward_f32(int64_t rows, int64_t columns, const float* w, const float* delta,
                          float* dw) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < rows; ++i, w += kBlock, dw += kBlock) {
    const auto shift = hn::Set(d, delta[i]);
    for (int64_t j = 0; j < columns; j += lanes) {
      const auto weight = hn::LoadU(d, w + j);
      const auto slope = hn::Mul(weight, hn::Sub(hn::LoadU(d, dw + j), shift));
      hn::StoreU(hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), slope), d, dw + j);
    }
  }
}

void exponential_f32(int64_t rows, int64_t columns, float* s) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; j += lanes) {
      hn::StoreU(hm::exp(d, hn::LoadU(d, s + j)), d, s + j);
    }
  }
}

void soft_cap_f32(int64_t rows, int64_t columns, float cap, float* s) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto c = hn::Set(d, cap);
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; j += lanes) {
      hn::StoreU(hn::Mul(c, hm::tanh(d, hn::Div(hn::LoadU(d, s + j), c))), d, s + j);
    }
  }
}

void drop_f32(int64_t rows, int64_t columns, const RandomKey* keys, uint32_t first_key,
              uint32_t threshold, float scale, float* s) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint32_t> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  // Unsigned comparison through signed lanes.
  const hn::ScalableTag<int32_t> di;
  const auto flip = hn::Set(du, 0x80000000u);
  const auto lowest = hn::BitCast(di, hn::Xor(hn::Set(du, threshold), flip));
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; j += lanes) {
      const auto drawn = hm::random_lanes(du, keys[i], first_key + static_cast<uint32_t>(j));
      const auto bits = hn::BitCast(di, hn::Xor(drawn, flip));
      const auto dropped = hn::RebindMask(d, hn::Lt(bits, lowest));
      const auto x = hn::LoadU(d, s + j);
      hn::StoreU(hn::IfThenZeroElse(dropped, hn::Mul(x, factor)), d, s + j);
    }
  }
}

float dot_f32(const float* x, const float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    sum = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), sum);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += x[i] * y[i];
  return total;
}

}  // namespace heed::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::engine {

HWY_EXPORT(softmax_step_f32);
HWY_EXPORT(softmax_lanes_step_f32);
HWY_EXPORT(softmax_lanes_end_f32);
HWY_EXPORT(softmax_weights_f32);
HWY_EXPORT(softmax_backward_f32);
HWY_EXPORT(exponential_f32);
HWY_EXPORT(soft_cap_f32);
HWY_EXPORT(drop_f32);
HWY_EXPORT(add_scalar_values_f32);
HWY_EXPORT(dot_f32);

template <>
void softmax_step<float>(int64_t rows, int64_t columns, float* s, float* max, float* sum,
                         float* output, int64_t value_width) {
  HWY_DYNAMIC_DISPATCH(softmax_step_f32)(rows, columns, s, max, sum, output, value_width);
}
template <>
void softmax_lanes_step<float>(int64_t rows, int64_t columns, const float* s, const float* values,
                               bool finite, float* state) {
  HWY_DYNAMIC_DISPATCH(softmax_lanes_step_f32)(rows, columns, s, values, finite, state);
}
template <>
void softmax_lanes_end<float>(int64_t rows, const float* state, float* max, float* sum,
                              float* output) {
  HWY_DYNAMIC_DISPATCH(softmax_lanes_end_f32)(rows, state, max, sum, output);
}
template <>
void softmax_weights<float>(int64_t rows, int64_t columns, float* s, const float* max,
                            const float* inverse_sum) {
  HWY_DYNAMIC_DISPATCH(softmax_weights_f32)(rows, columns, s, max, inverse_sum);
}
template <>
void softmax_backward<float>(int64_t rows, int64_t columns, const float* w, const float* delta,
                             float* dw) {
  HWY_DYNAMIC_DISPATCH(softmax_backward_f32)(rows, columns, w, delta, dw);
}
template <>
void exponential<float>(int64_t rows, int64_t columns, float* s) {
  HWY_DYNAMIC_DISPATCH(exponential_f32)(rows, columns, s);
}
template <>
void soft_cap<float>(int64_t rows, int64_t columns, float cap, float* s) {
  HWY_DYNAMIC_DISPATCH(soft_cap_f32)(rows, columns, cap, s);
}
template <>
void drop<float>(int64_t rows, int64_t columns, const RandomKey* keys, uint32_t first_key,
                 uint32_t threshold, float scale, float* s) {
  HWY_DYNAMIC_DISPATCH(drop_f32)(rows, columns, keys, first_key, threshold, scale, s);
}
template <>
void add_scalar_values<float>(int64_t rows, int64_t columns, const float* w, const float* values,
                              bool finite, float* output) {
  HWY_DYNAMIC_DISPATCH(add_scalar_values_f32)(rows, columns, w, values, finite, output);
}
template <>
float dot<float>(const float* x, const float* y, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_f32)(x, y, n);
}

}  // namespace heed::engine
#endif
