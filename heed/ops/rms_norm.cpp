#include "heed/ops/rms_norm.h"

#include <cmath>

#include "heed/ops/norm_internal.h"
#include "heed/ops/row_view_internal.h"

namespace heed {
namespace {

// r = 1 / sqrt(mean(x^2) + eps)
double row_scale(const double* x, int64_t C, double epsilon) {
  double squares = 0;
  for (int64_t i = 0; i < C; ++i) squares += x[i] * x[i];
  return 1 / std::sqrt(squares / static_cast<double>(C) + epsilon);
}

// y_i = x_i r gamma_i
Tensor rms_norm_forward(const RowView& x, const Tensor& gamma, double epsilon) {
  Tensor y = Tensor::empty(x.x.shape(), DType::f64);
  for (int64_t n = 0; n < x.rows; ++n) {
    const double* xn = x.row<double>(n);
    const double r = row_scale(xn, x.columns, epsilon);
    double* yn = y.data<double>() + n * x.columns;
    for (int64_t i = 0; i < x.columns; ++i) yn[i] = xn[i] * r * gamma.data<double>()[i];
  }
  return y;
}

// y_i = x_i r gamma_i,  dr/dx_i = -r^3 x_i / C. With g_i = dy_i gamma_i and xhat_i = x_i r:
//   dx_i = r (g_i - xhat_i mean_j(g_j xhat_j))
std::vector<Tensor> rms_norm_backward(const RowView& x, const Tensor& gamma, const RowView& dy,
                                      double epsilon) {
  const int64_t C = x.columns;
  Tensor dx = Tensor::empty(x.x.shape(), DType::f64);
  Tensor dgamma = Tensor::zeros({C}, DType::f64);
  const double* gain = gamma.data<double>();
  for (int64_t n = 0; n < x.rows; ++n) {
    const double *xn = x.row<double>(n), *dyn = dy.row<double>(n);
    const double r = row_scale(xn, C, epsilon);
    double mean = 0;
    for (int64_t i = 0; i < C; ++i) {
      mean += dyn[i] * gain[i] * xn[i] * r / static_cast<double>(C);
      dgamma.data<double>()[i] += dyn[i] * xn[i] * r;
    }
    double* dxn = dx.data<double>() + n * C;
    for (int64_t i = 0; i < C; ++i) dxn[i] = r * (dyn[i] * gain[i] - xn[i] * r * mean);
  }
  return {dx, dgamma};
}

}  // namespace

Variable rms_norm(const Variable& x, const Variable& gamma, const RmsNormOptions& options) {
  check_norm("rms_norm", x, gamma, options.epsilon);
  if (x.value().dtype() == DType::f32) {
    return norm_float32(kernels::NormForm::rms, options.epsilon, x, gamma, {});
  }
  const RowView rows(x, "rms_norm: x");
  return record(rms_norm_forward(rows, gamma, options.epsilon), {x, gamma},
                [rows, gain = gamma.value(), options](const Tensor& dy) {
                  return rms_norm_backward(rows, gain, RowView(dy, "rms_norm: dy"),
                                           options.epsilon);
                });
}

}  // namespace heed
