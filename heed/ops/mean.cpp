#include "heed/ops/mean.h"

#include "heed/base/parallel.h"
#include "heed/kernels/sum_rows.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/row_view_internal.h"
#include "heed/ops/scale.h"
#include "heed/ops/sum.h"

namespace heed {
namespace {

void add_rows(const RowView& x, int64_t begin, int64_t count, float* y) {
  kernels::sum_rows(x.row<float>(begin), x.stride, count, x.columns, y);
}
void add_rows(const RowView& x, int64_t begin, int64_t count, double* y) {
  for (int64_t n = begin; n < begin + count; ++n) {
    for (int64_t c = 0; c < x.columns; ++c) y[c] += x.row<double>(n)[c];
  }
}

// y_bc = sum_n x_nc / length
template <typename T>
Tensor sequence_mean_forward(const RowView& x, const Rows& rows) {
  const int64_t C = x.columns;
  Tensor y = Tensor::zeros({rows.count(), C}, x.x.dtype());
  parallel_for(rows.count(), static_cast<double>(x.rows * C) * 0.25, [&](int64_t b) {
    if (rows.length(b) == 0) return;
    T* mean = y.data<T>() + b * C;
    add_rows(x, rows.begin(b), rows.length(b), mean);
    for (int64_t c = 0; c < C; ++c) mean[c] /= static_cast<T>(rows.length(b));
  });
  return y;
}

// y_bc = sum_n x_nc / length:  dx_nc = dy_bc / length
template <typename T>
Tensor sequence_mean_backward(const RowView& dy, const Rows& rows) {
  const int64_t C = dy.columns;
  Tensor dx = Tensor::empty({rows.total(), C}, dy.x.dtype());
  parallel_for(rows.count(), static_cast<double>(rows.total() * C) * 0.25, [&](int64_t b) {
    const T* dyb = dy.row<T>(b);
    for (int64_t n = rows.begin(b); n < rows.end(b); ++n) {
      T* dxn = dx.data<T>() + n * C;
      for (int64_t c = 0; c < C; ++c) dxn[c] = dyb[c] / static_cast<T>(rows.length(b));
    }
  });
  return dx;
}

}  // namespace

Variable mean(const Variable& x) {
  check(x.value().size() > 0, "mean: x has no elements: {}", x.value());
  return scale(sum(x), 1 / static_cast<double>(x.value().size()));
}

Variable mean_rows(const Variable& x) {
  check(x.value().size() > 0, "mean_rows: x has no elements: {}", x.value());
  return scale(sum_rows(x), 1 / static_cast<double>(x.value().dim(0)));
}

Variable sequence_mean(const Variable& x, const Rows& rows) {
  check(x.value().defined() && x.value().rank() == 2, "sequence_mean: x must be [N, C], got {}",
        x.value());
  rows.require_total(x.value().dim(0), "sequence_mean");
  return with_real(x, "sequence_mean: x", [&](auto zero) {
    using T = decltype(zero);
    return record(sequence_mean_forward<T>(RowView(x, "sequence_mean: x"), rows), {x},
                  [rows](const Tensor& dy) -> std::vector<Tensor> {
                    return {sequence_mean_backward<T>(RowView(dy, "sequence_mean: dy"), rows)};
                  });
  });
}

}  // namespace heed
