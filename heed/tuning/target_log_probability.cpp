#include "heed/tuning/target_log_probability.h"

#include <algorithm>

#include "heed/base/parallel.h"
#include "heed/ops/cross_entropy_parts.h"
#include "heed/ops/gather.h"
#include "heed/ops/operand_checks.h"
#include "heed/tuning/small_loss_internal.h"

namespace heed {
namespace {

constexpr int64_t kBlock = 384;  // rows

template <typename T>
Variable log_probability(const Variable& logits, LossTargets targets) {
  const Tensor x = logits.value().contiguous();
  const int64_t N = x.dim(0), V = x.dim(1);
  std::vector<RowLoss<T>> rows(static_cast<size_t>(N));
  Tensor y = Tensor::zeros({N}, x.dtype());
  parallel_for(N, row_loss_time(N, V), [&](int64_t n) {
    const int64_t t = targets.ids[n];
    if (t < 0) return;
    RowLoss<T>& row = rows[n];
    row = cross_entropy_row(x.data<T>() + n * V, V, t, 0.0);
    y.data<T>()[n] = static_cast<T>(-row.loss);
  });
  if (!will_record({&logits})) return y;
  return record(y, {logits},
                [x, N, V, rows = std::move(rows),
                 targets = std::move(targets)](const Tensor& dy) -> std::vector<Tensor> {
                  Tensor dx = Tensor::zeros({N, V}, x.dtype());
                  const Tensor d = dy.contiguous();
                  parallel_for(N, row_loss_time(N, V), [&](int64_t n) {
                    const int64_t t = targets.ids[n];
                    const auto weight = static_cast<double>(d.data<T>()[n]);
                    if (t < 0 || weight == 0) return;
                    // of - log p: dx = scale (p - [j = t])
                    cross_entropy_row_backward(x.data<T>() + n * V, V, t, 0.0, rows[n], -weight,
                                               dx.data<T>() + n * V);
                  });
                  return {dx};
                });
}

}  // namespace

Variable target_log_probability(const Variable& logits, const Tensor& targets) {
  const Tensor& x = logits;
  const char* const what = "target_log_probability";
  check(x.defined() && x.rank() == 2 && x.dim(1) > 0, "{}: logits must be [N, V], got {}", what, x);
  LossTargets checked = read_loss_targets(targets, x.dim(0), x.dim(1), {}, what);
  return with_real(x, what, [&](auto zero) {
    return log_probability<decltype(zero)>(logits, std::move(checked));
  });
}

AnswerLogs answer_logs(const Model& model, const Batch& batch, const Pass& pass) {
  const Rows& rows = batch.target_rows;
  const Tensor labels = batch.labels.to(DType::i64);
  rows.require_total(labels.size(), "answer_logs: labels");
  const int64_t* label = labels.data<int64_t>();
  std::vector<int64_t> picked, targets, lengths;
  std::vector<uint64_t> ids;
  for (int64_t b = 0; b < rows.count(); ++b) {
    const size_t before = picked.size();
    for (int64_t n = rows.begin(b); n < rows.end(b); ++n) {
      if (label[n] < 0) continue;
      picked.push_back(n);
      targets.push_back(label[n]);
    }
    lengths.push_back(static_cast<int64_t>(picked.size() - before));
    ids.push_back(rows.id(b));
  }
  const auto A = static_cast<int64_t>(picked.size());
  const Variable x = gather(model.features(batch, pass), Tensor::from(picked, {A}));
  const Tensor wanted = Tensor::from(targets, {A});
  const OutputLayer output = model.output();
  const Rows answers = Rows::from_lengths(lengths, ids);
  if (will_record({&x})) return {target_log_probability(output(x), wanted), answers};
  // Without a tape, the logits of few rows exist at a time.
  Tensor logs = Tensor::empty({A}, x.value().dtype());
  for (int64_t begin = 0; begin < A; begin += kBlock) {
    const int64_t end = std::min(A, begin + kBlock);
    logs.slice(0, begin, end)
        .copy_from(target_log_probability(output(x.value().slice(0, begin, end)),
                                          wanted.slice(0, begin, end)));
  }
  return {logs, answers};
}

Variable sequence_sums(const Variable& x, const Rows& rows) {
  const std::vector<double> values = numbers_of(x, "sequence_sums: x");
  rows.require_total(static_cast<int64_t>(values.size()), "sequence_sums: x");
  std::vector<double> sums;
  for (int64_t b = 0; b < rows.count(); ++b) {
    double sum = 0;
    for (int64_t n = rows.begin(b); n < rows.end(b); ++n) sum += values[n];
    sums.push_back(sum);
  }
  const DType type = x.value().dtype();
  return record(tensor_of(sums, type), {x}, [rows, type](const Tensor& dy) -> std::vector<Tensor> {
    const std::vector<double> d = numbers_of(dy, "sequence_sums: dy");
    std::vector<double> dx;
    for (int64_t b = 0; b < rows.count(); ++b) {
      dx.insert(dx.end(), static_cast<size_t>(rows.length(b)), d[b]);
    }
    return {tensor_of(dx, type)};
  });
}

}  // namespace heed
