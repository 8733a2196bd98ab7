#include "heed/ops/layer_norm.h"

#include <cmath>

#include "heed/base/fail.h"
#include "heed/ops/norm_internal.h"
#include "heed/ops/row_view_internal.h"

namespace heed {
namespace {

struct Statistics {
  double mean, r, b;
};

Statistics row_statistics(const double* x, int64_t C, const LayerNormOptions& options) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < C; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(C);
  for (int64_t i = 0; i < C; ++i) squares += (x[i] - mean) * (x[i] - mean);
  if (options.form == LayerNormForm::standard) {
    const double var = squares / static_cast<double>(C);
    return {mean, 1 / std::sqrt(var + options.epsilon), 1 / static_cast<double>(C)};
  }
  const double s = std::sqrt(squares / static_cast<double>(C - 1));
  const double r = 1 / (s + options.epsilon);
  return {mean, r, s > 0 ? 1 / (r * static_cast<double>(C - 1) * s) : 0};
}

// y_i = xhat_i gamma_i + beta_i,   xhat_i = (x_i - mean) r
Tensor layer_norm_forward(const RowView& x, const Tensor& gamma, const Tensor& beta,
                          const LayerNormOptions& options) {
  Tensor y = Tensor::empty(x.x.shape(), DType::f64);
  const double *gain = gamma.data<double>(), *shift = beta.data<double>();
  for (int64_t n = 0; n < x.rows; ++n) {
    const double* xn = x.row<double>(n);
    double* yn = y.data<double>() + n * x.columns;
    const Statistics s = row_statistics(xn, x.columns, options);
    for (int64_t i = 0; i < x.columns; ++i) yn[i] = (xn[i] - s.mean) * s.r * gain[i] + shift[i];
  }
  return y;
}

// y_i = xhat_i gamma_i + beta_i. With g_i = dy_i gamma_i:
//   through x_i itself and through the mean    r (g_i - mean(g))
//   through r, as dr/dx_i = -b r xhat_i        -r xhat_i b sum_j g_j xhat_j
std::vector<Tensor> layer_norm_backward(const RowView& x, const Tensor& gamma, const RowView& dy,
                                        const LayerNormOptions& options) {
  const int64_t C = x.columns;
  Tensor dx = Tensor::empty(x.x.shape(), DType::f64);
  Tensor dgamma = Tensor::zeros({C}, DType::f64), dbeta = Tensor::zeros({C}, DType::f64);
  const double* gain = gamma.data<double>();
  for (int64_t n = 0; n < x.rows; ++n) {
    const double *xn = x.row<double>(n), *dyn = dy.row<double>(n);
    const Statistics s = row_statistics(xn, C, options);
    const auto xhat = [&](int64_t i) { return (xn[i] - s.mean) * s.r; };
    double mean_g = 0, dot = 0;
    for (int64_t i = 0; i < C; ++i) {
      mean_g += dyn[i] * gain[i] / static_cast<double>(C);
      dot += dyn[i] * gain[i] * xhat(i);
      dgamma.data<double>()[i] += dyn[i] * xhat(i);
      dbeta.data<double>()[i] += dyn[i];
    }
    double* dxn = dx.data<double>() + n * C;
    for (int64_t i = 0; i < C; ++i) {
      dxn[i] = s.r * (dyn[i] * gain[i] - mean_g - xhat(i) * s.b * dot);
    }
  }
  return {dx, dgamma, dbeta};
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta,
                    const LayerNormOptions& options) {
  check_norm("layer_norm", x, gamma, options.epsilon);
  check_norm("layer_norm", x, beta, options.epsilon);
  const bool textbook = options.form == LayerNormForm::textbook;
  check(!textbook || x.value().dim(-1) >= 2,
        "layer_norm: the textbook's form divides by C - 1, so C must be at least 2, got {}",
        x.value());
  if (x.value().dtype() == DType::f32) {
    const auto form = textbook ? kernels::NormForm::textbook : kernels::NormForm::standard;
    return norm_float32(form, options.epsilon, x, gamma, beta);
  }
  const RowView rows(x, "layer_norm: x");
  return record(layer_norm_forward(rows, gamma, beta, options), {x, gamma, beta},
                [rows, gain = gamma.value(), options](const Tensor& dy) {
                  return layer_norm_backward(rows, gain, RowView(dy, "layer_norm: dy"), options);
                });
}

}  // namespace heed
