#include "heed/ops/reshape.h"

#include "heed/base/fail.h"

namespace heed {
namespace {

Tensor join(const Tensor& x) {
  check(x.defined() && x.rank() >= 2, "join_heads: x must be [.., H, D], got {}", x);
  const bool adjacent = x.dim(-2) == 1 || x.stride(-2) == x.dim(-1);
  return (adjacent ? x : x.clone()).join_heads();
}

}  // namespace

Variable reshape(const Variable& x, const Shape& shape) {
  return record(x.value().reshape(shape), {x},
                [before = x.shape()](const Tensor& dy) -> std::vector<Tensor> {
                  return {dy.reshape(before)};
                });
}

Variable split_heads(const Variable& x, int64_t heads) {
  return record(x.value().split_heads(heads), {x},
                [](const Tensor& dy) -> std::vector<Tensor> { return {join(dy)}; });
}

Variable join_heads(const Variable& x) {
  Tensor y = join(x);
  return record(std::move(y), {x},
                [heads = x.shape()[x.value().rank() - 2]](const Tensor& dy) -> std::vector<Tensor> {
                  return {dy.split_heads(heads)};
                });
}

}  // namespace heed
