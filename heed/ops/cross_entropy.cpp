#include "heed/ops/cross_entropy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "heed/base/parallel.h"
#include "heed/ops/cross_entropy_parts.h"
#include "heed/ops/operands.h"

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

LossTargets read_loss_targets(const Tensor& targets, int64_t N, int64_t V,
                              const CrossEntropyOptions& options, const char* what) {
  check(options.label_smoothing >= 0 && options.label_smoothing <= 1,
        "{}: label_smoothing must be in [0, 1], got {}", what, options.label_smoothing);
  check(options.token_count >= 0, "{}: token_count must not be negative, got {}", what,
        options.token_count);
  check(targets.defined() && targets.rank() == 1 && targets.dim(0) == N,
        "{}: targets must be [{}], one per row, got {}", what, N, targets);
  LossTargets result{read_ids(targets, V, what, options.ignored_target), options.label_smoothing,
                     static_cast<double>(options.token_count)};
  if (options.token_count == 0) {
    const auto counted = N - std::count(result.ids.begin(), result.ids.end(), -1);
    result.count = static_cast<double>(std::max<int64_t>(counted, 1));
  }
  return result;
}

namespace {

// The loss of every row; 0 where it is ignored.
template <typename T>
std::vector<RowLoss<T>> forward_rows(const Tensor& logits, const LossTargets& targets) {
  const int64_t N = logits.dim(0), V = logits.dim(1);
  std::vector<RowLoss<T>> rows(static_cast<size_t>(N), {T{0}, T{1}, 0.0});
  const T* x = logits.data<T>();
  parallel_for(N, row_loss_time(N, V), [&](int64_t n) {
    const int64_t t = targets.ids[static_cast<size_t>(n)];
    if (t < 0) return;
    rows[static_cast<size_t>(n)] =
        cross_entropy_row(x + n * logits.stride(0), V, t, targets.smoothing);
  });
  return rows;
}

// y = sum_n loss_n / count:  dx_n = dy (p - q) / count
template <typename T>
Tensor backward_rows(const Tensor& logits, const LossTargets& targets,
                     const std::vector<RowLoss<T>>& rows, double dy) {
  const int64_t N = logits.dim(0), V = logits.dim(1);
  Tensor dlogits = Tensor::empty(logits.shape(), logits.dtype());
  const T* x = logits.data<T>();
  T* dx = dlogits.data<T>();
  parallel_for(N, row_loss_time(N, V), [&](int64_t n) {
    const int64_t t = targets.ids[static_cast<size_t>(n)];
    if (t < 0) {
      std::fill(dx + n * V, dx + (n + 1) * V, T{0});
    } else {
      cross_entropy_row_backward(x + n * logits.stride(0), V, t, targets.smoothing,
                                 rows[static_cast<size_t>(n)], dy / targets.count, dx + n * V);
    }
  });
  return dlogits;
}

void check_logits(const Tensor& logits, const char* what) {
  check(logits.defined() && logits.rank() == 2 && logits.dim(1) > 0,
        "{}: logits must be [N, V], got {}", what, logits);
}

}  // namespace

Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options) {
  const Tensor& x = logits;
  check_logits(x, "cross_entropy");
  return with_real(x, "cross_entropy: logits", [&](auto zero) {
    using T = decltype(zero);
    LossTargets checked = read_loss_targets(targets, x.dim(0), x.dim(1), options, "cross_entropy");
    std::vector<RowLoss<T>> rows = forward_rows<T>(x, checked);
    std::vector<double> losses(rows.size());
    std::transform(rows.begin(), rows.end(), losses.begin(),
                   [](const auto& row) { return row.loss; });
    Tensor y = Tensor::full({1}, sum_in_tree(losses) / checked.count, x.dtype());
    if (!will_record({&logits})) return Variable(y);
    return record(y, {logits},
                  [x, rows = std::move(rows),
                   checked = std::move(checked)](const Tensor& dy) -> std::vector<Tensor> {
                    return {backward_rows<T>(x, checked, rows, dy.item())};
                  });
  });
}

Tensor token_log_probabilities(const Tensor& logits, const Tensor& targets) {
  const char* const what = "token_log_probabilities";
  check_logits(logits, what);
  return with_real(logits, what, [&](auto zero) {
    using T = decltype(zero);
    const LossTargets checked = read_loss_targets(targets, logits.dim(0), logits.dim(1), {}, what);
    const std::vector<RowLoss<T>> rows = forward_rows<T>(logits, checked);
    Tensor result = Tensor::empty({logits.dim(0)}, logits.dtype());
    std::transform(rows.begin(), rows.end(), result.data<T>(),
                   [](const auto& row) { return static_cast<T>(0 - row.loss); });
    return result;
  });
}

}  // namespace heed
