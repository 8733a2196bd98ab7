#include "heed/ops/softmax.h"

#include <algorithm>
#include <cmath>

#include "heed/kernels/softmax.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/row_view_internal.h"

namespace heed {
namespace {

// y_i = exp(x_i - m) / sum_j exp(x_j - m)
void softmax_row(const double* x, int64_t n, double* y) {
  const bool empty = std::all_of(x, x + n, [](double value) { return value == -INFINITY; });
  const double m = empty ? 0 : *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - m);
  for (int64_t i = 0; i < n && sum != 0; ++i) y[i] /= sum;
}

// dy_i / dx_j = y_i (1{i = j} - y_j):   dx_j = y_j (dy_j - sum_i dy_i y_i)
void softmax_row_backward(const double* y, const double* dy, int64_t n, double* dx) {
  double dot = 0;
  for (int64_t i = 0; i < n; ++i) dot += dy[i] * y[i];
  for (int64_t j = 0; j < n; ++j) dx[j] = y[j] * (dy[j] - dot);
}

Tensor softmax_forward(const Tensor& input) {
  const RowView x(input, "softmax: x");
  Tensor y = Tensor::empty(input.shape(), input.dtype());
  const int64_t n = x.columns;
  if (y.dtype() == DType::f32) {
    kernels::softmax_forward(x.row<float>(0), x.stride, x.rows, n, y.data<float>());
  } else {
    for (int64_t r = 0; r < x.rows; ++r) softmax_row(x.row<double>(r), n, y.data<double>() + r * n);
  }
  return y;
}

Tensor softmax_backward(const Tensor& output, const Tensor& gradient) {
  const RowView y(output, "softmax: y"), dy(gradient, "softmax: dy");
  Tensor dx = Tensor::empty(output.shape(), output.dtype());
  const int64_t n = y.columns;
  if (dx.dtype() == DType::f32) {
    kernels::softmax_backward(y.row<float>(0), dy.row<float>(0), dy.stride, y.rows, n,
                              dx.data<float>());
  } else {
    for (int64_t r = 0; r < y.rows; ++r) {
      softmax_row_backward(y.row<double>(r), dy.row<double>(r), n, dx.data<double>() + r * n);
    }
  }
  return dx;
}

}  // namespace

Variable softmax(const Variable& x) {
  return with_real(x, "softmax: x", [&](auto) {
    const Tensor y = softmax_forward(x);
    return record(
        y, {x}, [y](const Tensor& dy) -> std::vector<Tensor> { return {softmax_backward(y, dy)}; });
  });
}

}  // namespace heed
