// x [N, H, Dx] -> y [N, H, Dy], every row times w: the projections of bilinear and additive scores.
//
//   forward   y = x w                 (w' if transposed)
//   backward  dx = dy w'              dw = x' dy
//
// A row of x whose gradient is exactly 0 gives nothing to dw, even if it holds a NaN: it belongs to
// a masked key, or to a query without keys.

#include <algorithm>
#include <vector>

#include "heed/attention/prepare_problem_internal.h"
#include "heed/kernels/pack.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"

namespace heed::engine {
namespace {

template <typename T>
Tensor without_dead_rows(const Tensor& x, const Tensor& dy) {
  Tensor result = Tensor::empty(x.shape(), x.dtype());
  if (kernels::copy_scaled(x.data<T>(), 0, 1, x.size(), T{1}, result.data<T>())) return x;
  for (int64_t i = 0; i < x.dim(0); ++i) {
    const T* slope = dy.data<T>() + i * dy.dim(1);
    const bool dead = std::all_of(slope, slope + dy.dim(1), [](T d) { return d == 0; });
    if (dead) std::fill_n(result.data<T>() + i * x.dim(1), x.dim(1), T{0});
  }
  return result;
}

Tensor live_rows(const Tensor& x, const Tensor& dy) {
  return x.dtype() == DType::f64 ? without_dead_rows<double>(x, dy)
                                 : without_dead_rows<float>(x, dy);
}

Variable project_rows(const Variable& x, const Variable& w, bool transposed) {
  const Tensor rows = x.value().contiguous();
  const Tensor& weights = w.value();
  return record(matmul(rows, weights, {.transpose_b = transposed}).value(), {x, w},
                [rows, weights, transposed, need_x = x.requires_gradient(),
                 need_w = w.requires_gradient()](const Tensor& slopes) -> std::vector<Tensor> {
                  const Tensor dy = slopes.contiguous();
                  Tensor dx, dw;
                  if (need_x) dx = matmul(dy, weights, {.transpose_b = !transposed});
                  if (need_w) {
                    const Tensor live = live_rows(rows, dy);
                    dw = transposed ? matmul(dy, live, {.transpose_a = true})
                                    : matmul(live, dy, {.transpose_a = true});
                  }
                  return {dx, dw};
                });
}

}  // namespace

Variable project(const Variable& x, const Variable& w, bool transposed) {
  const Shape& shape = x.shape();
  const Variable y = project_rows(reshape(x, {shape[0] * shape[1], shape[2]}), w, transposed);
  return reshape(y, {shape[0], shape[1], y.shape()[1]});
}

}  // namespace heed::engine
