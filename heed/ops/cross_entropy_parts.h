// The parts of cross entropy that linear_cross_entropy shares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/kernels/cross_entropy.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Targets and options, checked.
struct LossTargets {
  std::vector<int64_t> ids;  // [N]; -1: ignored
  double smoothing;
  double count;  // what the sum is divided by; at least 1
};

// What the options of a cross entropy say.
struct LossRules {
  double label_smoothing = 0;
  int64_t ignored_target = -1;
  int64_t token_count = 0;
};
LossTargets read_loss_targets(const Tensor& targets, int64_t N, int64_t V, const LossRules& options,
                              const char* what);

// One row: the formulas of cross_entropy.h, in double. float32 goes to kernels/cross_entropy.h.
using kernels::cross_entropy_row;
using kernels::cross_entropy_row_backward;
using kernels::RowLoss;
RowLoss<double> cross_entropy_row(const double* x, int64_t V, int64_t target, double smoothing);
void cross_entropy_row_backward(const double* x, int64_t V, int64_t target, double smoothing,
                                const RowLoss<double>& row, double scale, double* dx);

// The sum in a binary tree whose shape depends on the number of terms alone.
double sum_in_tree(std::span<const double> terms);

// Rough nanoseconds of the loss of N rows, for parallel_for.
double row_loss_time(int64_t N, int64_t V);

}  // namespace heed
