#include "heed/ops/slice.h"

#include "heed/base/fail.h"

namespace heed {

Variable slice(const Variable& x, int axis, int64_t begin, int64_t end) {
  check(x.value().defined(), "slice: x is undefined");
  Tensor y = x.value().slice(axis, begin, end);
  // y = x[begin:end]:  dx[begin:end] = dy, the rest 0
  return record(std::move(y), {x},
                [shape = x.shape(), axis, begin, end](const Tensor& dy) -> std::vector<Tensor> {
                  Tensor dx = Tensor::zeros(shape, dy.dtype());
                  dx.slice(axis, begin, end).copy_from(dy);
                  return {dx};
                });
}

}  // namespace heed
