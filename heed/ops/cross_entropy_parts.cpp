#include "heed/ops/cross_entropy_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "heed/ops/operand_checks.h"

namespace heed {

// loss = log l - (1 - e) (x_t - m) - e/V sum_j (x_j - m)
RowLoss<double> cross_entropy_row(const double* x, int64_t V, int64_t target, double smoothing) {
  const double m = *std::max_element(x, x + V);
  double l = 0, differences = 0;
  for (int64_t j = 0; j < V; ++j) {
    l += std::exp(x[j] - m);
    differences += x[j] - m;
  }
  double loss = std::log(l) - (1 - smoothing) * (x[target] - m);
  if (smoothing > 0) loss -= smoothing / static_cast<double>(V) * differences;
  return {m, l, loss};
}

// loss = - sum_j q_j log p_j:  dx_j = p_j - q_j, with q_j = (1 - e) [j = t] + e/V
void cross_entropy_row_backward(const double* x, int64_t V, int64_t target, double smoothing,
                                const RowLoss<double>& row, double scale, double* dx) {
  for (int64_t j = 0; j < V; ++j) {
    const double p = std::exp(x[j] - row.maximum) / row.sum;
    dx[j] = scale * (p - smoothing / static_cast<double>(V));
  }
  dx[target] -= scale * (1 - smoothing);
}

double sum_in_tree(std::span<const double> terms) {
  if (terms.size() <= 8) {
    double sum = 0;
    for (double term : terms) sum += term;
    return sum;
  }
  const size_t half = std::bit_floor(terms.size() - 1);
  return sum_in_tree(terms.first(half)) + sum_in_tree(terms.subspan(half));
}

double row_loss_time(int64_t N, int64_t V) { return static_cast<double>(N * V); }

LossTargets read_loss_targets(const Tensor& targets, int64_t N, int64_t V, const LossRules& options,
                              const char* what) {
  check(options.label_smoothing >= 0 && options.label_smoothing <= 1,
        "{}: label_smoothing must be in [0, 1], got {}", what, options.label_smoothing);
  check(options.token_count >= 0, "{}: token_count must not be negative, got {}", what,
        options.token_count);
  check(targets.defined() && targets.rank() == 1 && targets.dim(0) == N,
        "{}: targets must be [{}], one per row, got {}", what, N, targets);
  LossTargets result{read_ids(targets, V, what, options.ignored_target), options.label_smoothing,
                     static_cast<double>(options.token_count)};
  if (options.token_count == 0) {
    const auto label_count = N - std::count(result.ids.begin(), result.ids.end(), -1);
    result.count = static_cast<double>(std::max<int64_t>(label_count, 1));
  }
  return result;
}

}  // namespace heed
