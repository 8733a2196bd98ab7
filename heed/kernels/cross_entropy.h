// The loss of one row of logits, and its gradient: the float32 fast path of ops/cross_entropy.h,
// which has the formulas. One thread.
#pragma once

#include <cstdint>

namespace heed::kernels {

// Softmax of a row is exp(x_j - maximum) / sum.
template <typename T>
struct RowLoss {
  T maximum;
  T sum;
  double loss;
};

// x [V]; target in [0, V).
RowLoss<float> cross_entropy_row(const float* x, int64_t V, int64_t target, double smoothing);

// dx = scale (softmax - target distribution); dx may be x. `row` is what the forward returned.
void cross_entropy_row_backward(const float* x, int64_t V, int64_t target, double smoothing,
                                const RowLoss<float>& row, double scale, float* dx);

}  // namespace heed::kernels
