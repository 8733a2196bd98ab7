#include "heed/ops/concatenate.h"

#include <utility>

#include "heed/base/fail.h"

namespace heed {
namespace {

// The shape of the result; every input must fit the first one.
Shape joined_shape(const std::vector<Variable>& inputs, int axis) {
  Shape shape = inputs[0].shape();
  const Tensor& first = inputs[0];
  shape[axis] = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i];
    Shape other = x.shape();
    bool fits = x.defined() && other.rank() == shape.rank() && x.dtype() == first.dtype();
    for (int a = 0; fits && a < shape.rank(); ++a) fits = a == axis || other[a] == shape[a];
    check(fits, "concatenate: input {} is {}, which does not fit {} along axis {}", i, x, first,
          axis);
    shape[axis] += other[axis];
  }
  return shape;
}

}  // namespace

Variable concatenate(const std::vector<Variable>& inputs, int axis) {
  check(!inputs.empty(), "concatenate: expected at least one input");
  const Tensor& first = inputs[0];
  check(first.defined(), "concatenate: input 0 is undefined");
  const int at = axis < 0 ? axis + first.rank() : axis;
  check(at >= 0 && at < first.rank(), "concatenate: {} has no axis {}", first, axis);

  Tensor y = Tensor::empty(joined_shape(inputs, at), first.dtype());
  std::vector<int64_t> sizes;
  int64_t begin = 0;
  for (const Variable& input : inputs) {
    const int64_t size = input.shape()[at];
    y.slice(at, begin, begin + size).copy_from(input);
    sizes.push_back(size);
    begin += size;
  }

  // y = [x_1, ..., x_n]:  dx_i is a slice of dy
  return record(std::move(y), inputs, [sizes = std::move(sizes), at](const Tensor& dy) {
    std::vector<Tensor> gradients;
    int64_t from = 0;
    for (int64_t size : sizes) {
      gradients.push_back(dy.slice(at, from, from + size));
      from += size;
    }
    return gradients;
  });
}

}  // namespace heed
