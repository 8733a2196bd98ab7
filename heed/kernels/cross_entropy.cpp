#include "heed/kernels/cross_entropy.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cross_entropy.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls step(slot, vector, mask) for every vector of a row, with slots 0 to 3 in turn; the mask
// says which lanes are the row's, all but at its end. Four chains, one per slot, hide the latency
// of one.
template <typename Step>
HWY_INLINE void for_each_vector(const float* x, int64_t n, const Step& step) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto all = hn::FirstN(d, hn::Lanes(d));
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    step(0, hn::LoadU(d, x + i), all);
    step(1, hn::LoadU(d, x + i + lanes), all);
    step(2, hn::LoadU(d, x + i + 2 * lanes), all);
    step(3, hn::LoadU(d, x + i + 3 * lanes), all);
  }
  for (; i + lanes <= n; i += lanes) step(0, hn::LoadU(d, x + i), all);
  if (i < n) step(0, load_part(x + i, n - i, x[i]), hn::FirstN(d, static_cast<size_t>(n - i)));
}

float row_maximum(const float* x, int64_t n) {
  const FloatTag d;
  const FloatVector first = hn::Set(d, x[0]);
  FloatVector max[4] = {first, first, first, first};
  for_each_vector(
      x, n, [&](int slot, FloatVector v, auto) HWY_ATTR { max[slot] = hn::Max(max[slot], v); });
  const auto both = hn::Max(hn::Max(max[0], max[1]), hn::Max(max[2], max[3]));
  return hn::GetLane(hn::MaxOfLanes(d, both));
}

float sum_of_four(const FloatVector* v) {
  return hn::GetLane(hn::SumOfLanes(FloatTag(), hn::Add(hn::Add(v[0], v[1]), hn::Add(v[2], v[3]))));
}

// m = max_j x_j, sum_j exp(x_j - m) and sum_j (x_j - m)
void measure_row(const float* x, int64_t n, float* maximum, float* exponentials,
                 float* differences) {
  const FloatTag d;
  *maximum = row_maximum(x, n);
  const FloatVector m = hn::Set(d, *maximum), zero = hn::Zero(d);
  FloatVector e[4] = {zero, zero, zero, zero};
  FloatVector s[4] = {zero, zero, zero, zero};
  for_each_vector(x, n, [&](int slot, FloatVector v, auto mask) HWY_ATTR {
    const auto difference = hn::Sub(v, m);
    e[slot] = hn::Add(e[slot], hn::IfThenElseZero(mask, exp_nonpositive(d, difference)));
    s[slot] = hn::Add(s[slot], hn::IfThenElseZero(mask, difference));
  });
  *exponentials = sum_of_four(e);
  *differences = sum_of_four(s);
}

// dx_j = a exp(x_j - m) - b
void scaled_softmax(const float* x, int64_t n, float maximum, float a, float b, float* dx) {
  const FloatTag tag;
  const auto m = hn::Set(tag, maximum), scale = hn::Set(tag, a), shift = hn::Set(tag, b);
  map<Store::plain>(x, dx, n, [&](FloatTag d, FloatVector v) HWY_ATTR {
    return hn::MulSub(exp_nonpositive(d, hn::Sub(v, m)), scale, shift);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(measure_row);
HWY_EXPORT(scaled_softmax);

RowLoss<float> cross_entropy_row(const float* x, int64_t V, int64_t target, double smoothing) {
  RowLoss<float> row{};
  float differences = 0;
  HWY_DYNAMIC_DISPATCH(measure_row)(x, V, &row.maximum, &row.sum, &differences);
  // A NaN or an infinite logit must not pass unseen, and the maximum and exp may overlook it.
  if (std::isnan(differences)) row.sum = differences;
  const double wanted = static_cast<double>(x[target]) - static_cast<double>(row.maximum);
  row.loss = std::log(static_cast<double>(row.sum)) - (1 - smoothing) * wanted;
  if (smoothing > 0) {
    row.loss -= smoothing / static_cast<double>(V) * static_cast<double>(differences);
  }
  return row;
}

void cross_entropy_row_backward(const float* x, int64_t V, int64_t target, double smoothing,
                                const RowLoss<float>& row, double scale, float* dx) {
  HWY_DYNAMIC_DISPATCH(scaled_softmax)
  (x, V, row.maximum, static_cast<float>(scale / static_cast<double>(row.sum)),
   static_cast<float>(scale * smoothing / static_cast<double>(V)), dx);
  dx[target] -= static_cast<float>(scale * (1 - smoothing));
}

}  // namespace heed::kernels
#endif
