#include "heed/ops/scale.h"

#include "heed/kernels/combine.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/row_view_internal.h"

namespace heed {
namespace {

// y = factor x; and dx = factor dy
Tensor scaled(const Tensor& input, double factor) {
  const RowView x(input, "scale: x");
  Tensor y = Tensor::empty(input.shape(), input.dtype());
  if (y.dtype() == DType::f32) {
    kernels::scale({x.row<float>(0), x.stride}, static_cast<float>(factor), x.rows, x.columns,
                   y.data<float>());
    return y;
  }
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t c = 0; c < x.columns; ++c) {
      y.data<double>()[n * x.columns + c] = factor * x.row<double>(n)[c];
    }
  }
  return y;
}

}  // namespace

Variable scale(const Variable& x, double factor) {
  return with_real(x, "scale: x", [&](auto) {
    return record(scaled(x, factor), {x}, [factor](const Tensor& dy) -> std::vector<Tensor> {
      return {scaled(dy, factor)};
    });
  });
}

}  // namespace heed
