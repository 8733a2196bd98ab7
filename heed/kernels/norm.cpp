#include "heed/kernels/norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/divide_up.h"
#include "heed/kernels/row_blocks.h"
#include "heed/kernels/stream.h"
#include "heed/kernels/sum_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/norm.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using D = FloatTag;
using V = FloatVector;

HWY_INLINE NormStatistics row_statistics(NormForm form, float epsilon, const float* x, int64_t C) {
  const D d;
  const auto count = static_cast<float>(C);
  float mean = 0;
  if (form != NormForm::rms) {
    mean = sum_over(C, [&](int64_t i, auto part) HWY_ATTR { return load(x + i, part); }) / count;
  }
  const V center = hn::Set(d, mean);
  const float squares = sum_over(C, [&](int64_t i, auto part) HWY_ATTR {
    const V difference = hn::Sub(load(x + i, part, mean), center);
    return hn::Mul(difference, difference);
  });
  if (form == NormForm::textbook) {
    const float s = std::sqrt(squares / (count - 1));
    return {mean, 1 / (s + epsilon), s > 0 ? (s + epsilon) / ((count - 1) * s) : 0};
  }
  return {mean, 1 / std::sqrt(squares / count + epsilon), 1 / count};
}

template <Store kStore>
HWY_INLINE void forward_row(const NormForward& norm, const float* x, float* y,
                            NormStatistics* statistics) {
  const D d;
  *statistics = row_statistics(norm.form, norm.epsilon, x, norm.C);
  const V mean = hn::Set(d, statistics->mean), r = hn::Set(d, statistics->r);
  for_vectors(norm.C, [&](int64_t i, auto part) HWY_ATTR {
    const V xhat = hn::Mul(hn::Sub(load(x + i, part), mean), r);
    const V beta = norm.beta == nullptr ? hn::Zero(d) : load(norm.beta + i, part);
    store<kStore>(hn::MulAdd(xhat, load(norm.gamma + i, part), beta), part, y + i);
  });
}

// Adds the row's part to dgamma and dbeta on the way. (Several rows at once would touch those less
// often, but their streams hinder each other in the caches; measured, it is slower.)
template <Store kStore>
HWY_INLINE void backward_row(const NormBackward& norm, int64_t n, float* dgamma, float* dbeta,
                             float* dx) {
  const D d;
  const float* x = norm.x + n * norm.x_stride;
  const float* dy = norm.dy + n * norm.dy_stride;
  const NormStatistics& statistics = norm.statistics[n];
  const V mean = hn::Set(d, statistics.mean), r = hn::Set(d, statistics.r);
  V sum = hn::Zero(d), dot = sum;
  for_vectors(norm.C, [&](int64_t i, auto part) HWY_ATTR {
    const V dyi = load(dy + i, part);
    const V xhat = hn::Mul(hn::Sub(load(x + i, part), mean), r);
    const V g = hn::Mul(dyi, load(norm.gamma + i, part));
    sum = hn::Add(sum, g);
    dot = hn::MulAdd(g, xhat, dot);
    store<Store::plain>(hn::MulAdd(dyi, xhat, load(dgamma + i, part)), part, dgamma + i);
    store<Store::plain>(hn::Add(dyi, load(dbeta + i, part)), part, dbeta + i);
  });
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  const bool centered = norm.form != NormForm::rms;
  const V mean_g = hn::Set(d, centered ? total / static_cast<float>(norm.C) : 0);
  const V slope = hn::Set(d, statistics.b * hn::GetLane(hn::SumOfLanes(d, dot)));
  for_vectors(norm.C, [&](int64_t i, auto part) HWY_ATTR {
    const V xhat = hn::Mul(hn::Sub(load(x + i, part), mean), r);
    const V g = hn::Mul(load(dy + i, part), load(norm.gamma + i, part));
    store<kStore>(hn::Mul(r, hn::NegMulAdd(xhat, slope, hn::Sub(g, mean_g))), part, dx + i);
  });
}

void norm_rows(const NormForward& norm, int64_t first, int64_t rows, float* y,
               NormStatistics* statistics, Store how) {
  for (int64_t n = first; n < first + rows; ++n) {
    const float* x = norm.x + n * norm.x_stride;
    if (how == Store::plain) {
      forward_row<Store::plain>(norm, x, y + n * norm.C, statistics + n);
    } else {
      forward_row<Store::stream>(norm, x, y + n * norm.C, statistics + n);
    }
  }
  hwy::FlushStream();
}

void norm_rows_backward(const NormBackward& norm, int64_t first, int64_t rows, float* dgamma,
                        float* dbeta, float* dx, Store how) {
  for (int64_t n = first; n < first + rows; ++n) {
    if (how == Store::plain) {
      backward_row<Store::plain>(norm, n, dgamma, dbeta, dx + n * norm.C);
    } else {
      backward_row<Store::stream>(norm, n, dgamma, dbeta, dx + n * norm.C);
    }
  }
  hwy::FlushStream();
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_rows_backward);

}  // namespace

void norm_forward(const NormForward& norm, float* y, NormStatistics* statistics) {
  const Store how = store_for(y, norm.C, norm.N * norm.C * 4);
  for_row_blocks(norm.N, norm.C, 0.5, [&](int64_t first, int64_t rows) {
    HWY_DYNAMIC_DISPATCH(norm_rows)(norm, first, rows, y, statistics, how);
  });
}

void norm_backward(const NormBackward& norm, float* dx, float* dgamma, float* dbeta) {
  const int64_t N = norm.N, C = norm.C;
  const Store how = store_for(dx, C, N * C * 4);
  const int64_t blocks = divide_up(N, kSumBlock);
  std::vector<float> partial(static_cast<size_t>(blocks * 2 * C));  // [blocks, 2, C]
  parallel_for(blocks, static_cast<double>(N * C), [&](int64_t block) {
    const int64_t first = block * kSumBlock;
    float* sums = partial.data() + block * 2 * C;
    HWY_DYNAMIC_DISPATCH(norm_rows_backward)
    (norm, first, std::min(N - first, kSumBlock), sums, sums + C, dx, how);
  });
  sum_rows(partial.data(), 2 * C, blocks, C, dgamma);
  if (dbeta != nullptr) sum_rows(partial.data() + C, 2 * C, blocks, C, dbeta);
}

}  // namespace heed::kernels
#endif
