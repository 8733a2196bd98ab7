#include "heed/ops/gather.h"

#include "heed/kernels/gather_rows.h"
#include "heed/ops/gather_internal.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

// Elements in one row of x.
int64_t row_width(const Shape& shape) {
  int64_t width = 1;
  for (int axis = 1; axis < shape.rank(); ++axis) width *= shape[axis];
  return width;
}

// x such that each of its rows is one run of memory, and the distance between rows.
struct RowRuns {
  Tensor x;
  int64_t stride;
};

RowRuns row_runs(const Tensor& x) {
  const bool runs = x.rank() == 2 || x.is_contiguous();
  const Tensor source = runs ? x : x.clone();
  return {source, source.rank() == 1 ? 1 : source.stride(0)};
}

// y[n] = x[ids[n]]
template <typename T>
Tensor gather_forward(const Tensor& x, const std::vector<int64_t>& ids) {
  Shape shape = x.shape();
  shape[0] = static_cast<int64_t>(ids.size());
  Tensor y = Tensor::empty(shape, x.dtype());
  const RowRuns from = row_runs(x);
  kernels::gather_rows(from.x.data<T>(), from.stride, row_width(shape), ids, y.data<T>());
  return y;
}

// y[n] = x[ids[n]]:  dx[ids[n]] += dy[n]
template <typename T>
Tensor gather_backward(const Tensor& dy, const std::vector<int64_t>& ids, const Shape& shape) {
  const RowRuns from = row_runs(dy);
  const T* rows = from.x.data<T>();
  const int64_t width = row_width(shape);
  if constexpr (std::is_same_v<T, float>) {
    Tensor dx = Tensor::empty(shape);
    kernels::scatter_add_rows(rows, from.stride, width, ids, dx.data<T>(), shape[0]);
    return dx;
  } else {
    Tensor dx = Tensor::zeros(shape, dy.dtype());
    for (size_t n = 0; n < ids.size(); ++n) {
      T* sum = dx.data<T>() + ids[n] * width;
      const T* row = rows + static_cast<int64_t>(n) * from.stride;
      for (int64_t c = 0; c < width; ++c) sum[c] += row[c];
    }
    return dx;
  }
}

}  // namespace

Variable gather_as(const char* what, const Variable& x, const Tensor& ids) {
  const Tensor& rows = x;
  check(rows.defined() && rows.rank() >= 1, "{}: x must be [R, ...], got {}", what, rows);
  return with_real(x, what, [&](auto zero) {
    using T = decltype(zero);
    std::vector<int64_t> index = read_ids(ids, rows.dim(0), what);
    Tensor y = gather_forward<T>(rows, index);
    return record(
        y, {x},
        [index = std::move(index), shape = x.shape()](const Tensor& dy) -> std::vector<Tensor> {
          return {gather_backward<T>(dy, index, shape)};
        });
  });
}

Variable gather(const Variable& x, const Tensor& ids) { return gather_as("gather", x, ids); }

}  // namespace heed
