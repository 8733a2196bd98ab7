#include "heed/ops/add.h"

#include "heed/kernels/sum_rows.h"
#include "heed/ops/pair_internal.h"

namespace heed {
namespace {

// y_nc = a_nc + b_nc, or a_nc + b_c
Tensor add_forward(const Pair& in) {
  const int64_t C = in.a.columns;
  Tensor y = Tensor::empty(in.a.x.shape(), in.a.x.dtype());
  if (y.dtype() == DType::f32) {
    kernels::combine(kernels::Combine::add, rows_of(in.a), second_of(in), in.a.rows, C,
                     y.data<float>());
    return y;
  }
  for (int64_t n = 0; n < in.a.rows; ++n) {
    const double *a = in.a.row<double>(n), *b = in.b.row<double>(in.repeated ? 0 : n);
    for (int64_t c = 0; c < C; ++c) y.data<double>()[n * C + c] = a[c] + b[c];
  }
  return y;
}

// y_nc = a_nc + b_c:  db_c = sum_n dy_nc
Tensor added_row_backward(const RowView& dy) {
  Tensor db = Tensor::zeros({dy.columns}, dy.x.dtype());
  if (db.dtype() == DType::f32) {
    kernels::sum_rows(dy.row<float>(0), dy.stride, dy.rows, dy.columns, db.data<float>());
    return db;
  }
  for (int64_t n = 0; n < dy.rows; ++n) {
    for (int64_t c = 0; c < dy.columns; ++c) db.data<double>()[c] += dy.row<double>(n)[c];
  }
  return db;
}

}  // namespace

Variable add(const Variable& a, const Variable& b) {
  const Pair in(a, b, "add");
  return record(add_forward(in), {a, b},
                [repeated = in.repeated](const Tensor& dy) -> std::vector<Tensor> {
                  return {dy, repeated ? added_row_backward(RowView(dy, "add: dy")) : dy};
                });
}

}  // namespace heed
