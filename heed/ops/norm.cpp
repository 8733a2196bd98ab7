#include "heed/base/fail.h"
#include "heed/ops/norm_internal.h"
#include "heed/ops/row_view_internal.h"

namespace heed {

void check_norm(const char* what, const Tensor& x, const Tensor& gamma, double epsilon) {
  check(x.defined() && is_real(x.dtype()) && x.rank() >= 1,
        "{}: x must be float32 or float64 [..., C], got {}", what, x);
  check(gamma.defined() && gamma.rank() == 1 && gamma.dim(0) == x.dim(-1) &&
            gamma.dtype() == x.dtype(),
        "{}: x is {}, so gamma and beta must be {} [{}], got {}", what, x, name(x.dtype()),
        x.dim(-1), gamma);
  check(epsilon >= 0, "{}: epsilon must not be negative, got {}", what, epsilon);
}

Variable norm_float32(kernels::NormForm form, double epsilon, const Variable& x,
                      const Variable& gamma, const Variable& beta) {
  const RowView in(x, "norm: x");
  const bool shifted = beta.value().defined();
  Tensor y = Tensor::empty(x.shape());
  auto statistics =
      std::make_shared<std::vector<kernels::NormStatistics>>(static_cast<size_t>(in.rows));
  kernels::norm_forward({.form = form,
                         .epsilon = static_cast<float>(epsilon),
                         .N = in.rows,
                         .C = in.columns,
                         .x = in.row<float>(0),
                         .x_stride = in.stride,
                         .gamma = gamma.value().data<float>(),
                         .beta = shifted ? beta.value().data<float>() : nullptr},
                        y.data<float>(), statistics->data());
  const auto function = [form, in, gain = gamma.value(), statistics,
                         shifted](const Tensor& gradient) -> std::vector<Tensor> {
    const RowView dy(gradient, "norm: dy");
    Tensor dx = Tensor::empty(gradient.shape());
    Tensor dgamma = Tensor::empty(gain.shape()), dbeta = Tensor::empty(gain.shape());
    kernels::norm_backward({.form = form,
                            .N = in.rows,
                            .C = in.columns,
                            .x = in.row<float>(0),
                            .x_stride = in.stride,
                            .dy = dy.row<float>(0),
                            .dy_stride = dy.stride,
                            .gamma = gain.data<float>(),
                            .statistics = statistics->data()},
                           dx.data<float>(), dgamma.data<float>(),
                           shifted ? dbeta.data<float>() : nullptr);
    if (shifted) return {dx, dgamma, dbeta};
    return {dx, dgamma};
  };
  if (shifted) return record(y, {x, gamma, beta}, function);
  return record(y, {x, gamma}, function);
}

}  // namespace heed
