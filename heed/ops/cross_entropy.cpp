#include "heed/ops/cross_entropy.h"

#include <algorithm>
#include <utility>

#include "heed/base/parallel.h"
#include "heed/ops/cross_entropy_parts.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

// The loss of every row; 0 where it is ignored.
template <typename T>
std::vector<RowLoss<T>> forward_rows(const Tensor& logits, const LossTargets& targets) {
  const int64_t N = logits.dim(0), V = logits.dim(1);
  std::vector<RowLoss<T>> rows(static_cast<size_t>(N), {T{0}, T{1}, 0.0});
  const T* x = logits.data<T>();
  parallel_for(N, row_loss_time(N, V), [&](int64_t n) {
    const int64_t t = targets.ids[n];
    if (t < 0) return;
    rows[n] = cross_entropy_row(x + n * logits.stride(0), V, t, targets.smoothing);
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
    const int64_t t = targets.ids[n];
    if (t < 0) {
      std::fill(dx + n * V, dx + (n + 1) * V, T{0});
    } else {
      cross_entropy_row_backward(x + n * logits.stride(0), V, t, targets.smoothing, rows[n],
                                 dy / targets.count, dx + n * V);
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
    LossTargets checked = read_loss_targets(
        targets, x.dim(0), x.dim(1),
        {options.label_smoothing, options.ignored_target, options.token_count}, "cross_entropy");
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
