#include "heed/ops/sum.h"

#include <algorithm>
#include <vector>

#include "heed/kernels/row_blocks.h"
#include "heed/kernels/sum_rows.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/row_view_internal.h"

namespace heed {
namespace {

// y_c = sum_n x_nc
Tensor sum_rows_forward(const RowView& x) {
  Tensor y = Tensor::zeros({x.columns}, x.x.dtype());
  if (y.dtype() == DType::f32) {
    kernels::sum_rows(x.row<float>(0), x.stride, x.rows, x.columns, y.data<float>());
    return y;
  }
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t c = 0; c < x.columns; ++c) y.data<double>()[c] += x.row<double>(n)[c];
  }
  return y;
}

// y_c = sum_n x_nc:  dx_nc = dy_c
template <typename T>
Tensor sum_rows_backward(const Tensor& dy, const Shape& shape) {
  Tensor dx = Tensor::empty(shape, dy.dtype());
  const T* row = dy.data<T>();
  kernels::for_row_blocks(shape[0], shape[1], 0.3, [&](int64_t first, int64_t rows) {
    for (int64_t n = first; n < first + rows; ++n) {
      std::copy_n(row, shape[1], dx.data<T>() + n * shape[1]);
    }
  });
  return dx;
}

// y = x_0 + x_1 + ..
double sum_all(const double* x, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

// The same as a sum over rows of 1024, so that it uses all threads and the order is fixed.
double sum_all(const float* x, int64_t n) {
  constexpr int64_t kColumns = 1024;
  std::vector<float> columns(kColumns);
  kernels::sum_rows(x, kColumns, n / kColumns, kColumns, columns.data());
  double total = 0;
  for (const float column : columns) total += column;
  for (int64_t i = n - n % kColumns; i < n; ++i) total += x[i];
  return total;
}

}  // namespace

Variable sum_rows(const Variable& x) {
  check(x.value().defined() && x.value().rank() == 2, "sum_rows: x must be [N, C], got {}",
        x.value());
  return with_real(x, "sum_rows: x", [&](auto zero) {
    using T = decltype(zero);
    return record(sum_rows_forward(RowView(x, "sum_rows: x")), {x},
                  [shape = x.shape()](const Tensor& dy) -> std::vector<Tensor> {
                    return {sum_rows_backward<T>(dy, shape)};
                  });
  });
}

// y = sum_i x_i:  dx_i = dy
Variable sum(const Variable& x) {
  return with_real(x, "sum: x", [&](auto zero) {
    using T = decltype(zero);
    const Tensor all = x.value().contiguous();
    const double total = sum_all(all.data<T>(), all.size());
    return record(Tensor::full({1}, total, all.dtype()), {x},
                  [shape = x.shape()](const Tensor& dy) -> std::vector<Tensor> {
                    return {Tensor::full(shape, dy.item(), dy.dtype())};
                  });
  });
}

}  // namespace heed
