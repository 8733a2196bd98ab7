#include "heed/textbook/attention_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/fail.h"
#include "heed/ops/sum.h"

namespace heed {
namespace {

using QueryKeyValue = std::array<Tensor, 3>;

Variable total_output(const std::array<Variable, 3>& x, const AttentionOptions& options) {
  return sum(attention(x[0], x[1], x[2], Rows::single(x[0].shape()[0]),
                       Rows::single(x[1].shape()[0]), options));
}

double total_at(const QueryKeyValue& x, const AttentionOptions& options) {
  const NoGrad no_gradients;
  return std::as_const(total_output({x[0], x[1], x[2]}, options).value()).data<double>()[0];
}

// How far a gradient is from the finite differences of input `which`.
double difference_to(const Tensor& gradient, QueryKeyValue x, size_t which,
                     const AttentionOptions& options) {
  constexpr double kStep = 1e-5;
  double largest = 0;
  x[which] = x[which].clone();
  for (int64_t i = 0; i < gradient.size(); ++i) {
    double& number = x[which].data<double>()[i];
    const double at = number;
    number = at + kStep;
    const double above = total_at(x, options);
    number = at - kStep;
    const double below = total_at(x, options);
    number = at;
    largest =
        std::max(largest, std::abs((above - below) / (2 * kStep) - gradient.data<double>()[i]));
  }
  return largest;
}

}  // namespace

CheckedGradients attention_gradients(const Tensor& q, const Tensor& k, const Tensor& v,
                                     const AttentionOptions& options) {
  check(
      q.defined() && q.rank() == 2 && k.defined() && k.rank() == 2 && v.defined() && v.rank() == 2,
      "attention gradients: q, k and v must be matrices, got {}, {} and {}", q, k, v);
  const QueryKeyValue x{q.to(DType::f64).contiguous(), k.to(DType::f64).contiguous(),
                        v.to(DType::f64).contiguous()};
  const std::array<Variable, 3> leaves{Variable::parameter(x[0]), Variable::parameter(x[1]),
                                       Variable::parameter(x[2])};
  const Gradients gradients = backward(total_output(leaves, options));
  CheckedGradients result;
  result.dq = gradients.of(leaves[0]).contiguous();
  result.dk = gradients.of(leaves[1]).contiguous();
  result.dv = gradients.of(leaves[2]).contiguous();
  result.difference_q = difference_to(result.dq, x, 0, options);
  result.difference_k = difference_to(result.dk, x, 1, options);
  result.difference_v = difference_to(result.dv, x, 2, options);
  return result;
}

}  // namespace heed
