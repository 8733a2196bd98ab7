#include "heed/ops/multiply.h"

#include "heed/kernels/sum_rows.h"
#include "heed/ops/pair_internal.h"

namespace heed {
namespace {

// y_nc = a_nc b_nc, or a_nc b_c
Tensor elementwise_product(const Pair& in) {
  const int64_t C = in.a.columns;
  Tensor y = Tensor::empty(in.a.x.shape(), in.a.x.dtype());
  if (y.dtype() == DType::f32) {
    kernels::combine(kernels::Combine::multiply, rows_of(in.a), second_of(in), in.a.rows, C,
                     y.data<float>());
    return y;
  }
  for (int64_t n = 0; n < in.a.rows; ++n) {
    const double *a = in.a.row<double>(n), *b = in.b.row<double>(in.repeated ? 0 : n);
    for (int64_t c = 0; c < C; ++c) y.data<double>()[n * C + c] = a[c] * b[c];
  }
  return y;
}

// y_nc = a_nc b_c:  db_c = sum_n dy_nc a_nc
Tensor multiplied_row_backward(const Tensor& a, const Tensor& dy) {
  const Tensor each = elementwise_product(Pair(dy, a, "multiply: dy"));  // [.., C]
  const int64_t C = a.dim(-1), N = C == 0 ? 0 : a.size() / C;
  Tensor db = Tensor::zeros({C}, a.dtype());
  if (db.dtype() == DType::f32) {
    kernels::sum_rows(each.data<float>(), C, N, C, db.data<float>());
    return db;
  }
  for (int64_t i = 0; i < each.size(); ++i) db.data<double>()[i % C] += each.data<double>()[i];
  return db;
}

}  // namespace

Variable multiply(const Variable& a, const Variable& b) {
  const Pair in(a, b, "multiply");
  return record(elementwise_product(in), {a, b},
                [a = a.value(), b = b.value(),
                 repeated = in.repeated](const Tensor& dy) -> std::vector<Tensor> {
                  const Tensor da = elementwise_product(Pair(dy, b, "multiply: dy"));
                  if (repeated) return {da, multiplied_row_backward(a, dy)};
                  return {da, elementwise_product(Pair(dy, a, "multiply: dy"))};
                });
}

}  // namespace heed
