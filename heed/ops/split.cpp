#include "heed/ops/split.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "heed/base/fail.h"

namespace heed {
namespace {

// The gradient of x, which the parts fill in as they come.
struct Gathered {
  Shape shape;
  int axis;
  Tensor dx;
  std::vector<bool> arrived;
};

void check_sizes(const Tensor& x, const std::vector<int64_t>& sizes, int axis) {
  check(x.defined() && axis >= -x.rank() && axis < x.rank(), "split: {} has no axis {}", x, axis);
  bool fit = true;
  int64_t left = x.dim(axis);
  for (int64_t size : sizes) {
    fit = fit && size >= 0 && size <= left;
    if (fit) left -= size;
  }
  check(fit && left == 0, "split: parts of [{}] do not sum to axis {} of {}",
        fmt::join(sizes, ", "), axis, x);
}

}  // namespace

// x passes through a node of its own, the gate, whose only users are the parts. Backward reaches
// the parts first, in any order and maybe not all of them, and then the gate.
std::vector<Variable> split(const Variable& x, const std::vector<int64_t>& sizes, int axis) {
  check_sizes(x, sizes, axis);
  auto gathered = std::make_shared<Gathered>(
      Gathered{x.shape(), axis, {}, std::vector<bool>(sizes.size(), false)});
  std::vector<int64_t> begins(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), begins.begin() + 1);

  const Variable gate =
      record(x.value(), {x}, [gathered, begins](const Tensor& dx) -> std::vector<Tensor> {
        for (size_t i = 0; i < gathered->arrived.size(); ++i) {
          if (!gathered->arrived[i]) dx.slice(gathered->axis, begins[i], begins[i + 1]).fill(0);
        }
        gathered->dx =
            Tensor();  // a part that comes later finds the gate differentiated, and fails
        return {dx};
      });

  std::vector<Variable> parts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Tensor y = gate.value().slice(axis, begins[i], begins[i + 1]);
    parts.push_back(record(std::move(y), {gate},
                           [gathered, i, begin = begins[i],
                            end = begins[i + 1]](const Tensor& dy) -> std::vector<Tensor> {
                             const bool first = !gathered->dx.defined();
                             if (first) gathered->dx = Tensor::empty(gathered->shape, dy.dtype());
                             gathered->dx.slice(gathered->axis, begin, end).copy_from(dy);
                             gathered->arrived[i] = true;
                             return {first ? gathered->dx : Tensor()};  // the gate receives it once
                           }));
  }
  return parts;
}

}  // namespace heed
