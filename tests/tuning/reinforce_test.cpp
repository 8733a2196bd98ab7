#include "heed/tuning/reinforce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::reinforce_test {
namespace {

TEST(Reinforce, Gradients) {
  const std::vector<double> advantages = {1.5, -2, 0, 0.25};
  check_gradients([&](const Inputs& in) { return reinforce(in[0], advantages, 3); },
                  {random_tensor({4}, 1)});
}

// The gradient of an expectation over three actions with rewards: sum_a p_a (R_a - b) d log p_a is
// d sum_a p_a R_a for every baseline b.
TEST(Reinforce, IsTheGradientOfTheExpectedReturn) {
  const double x[3] = {0.2, -0.4, 0.9}, R[3] = {1, 3, -2};
  double sum = 0, p[3], expected = 0;
  for (const double v : x) sum += std::exp(v);
  for (int a = 0; a < 3; ++a) p[a] = std::exp(x[a]) / sum;
  for (int a = 0; a < 3; ++a) expected += p[a] * R[a];
  for (const double baseline : {0.0, 5.0}) {
    for (int j = 0; j < 3; ++j) {  // d / dx_j
      double estimated = 0;
      for (int a = 0; a < 3; ++a) {
        const Variable logp = Variable::parameter(Tensor::full({1}, std::log(p[a]), DType::f64));
        const std::vector<double> advantage = {R[a] - baseline};
        const double d = backward(reinforce(logp, advantage)).of(logp).item();
        estimated += p[a] * -d * ((a == j ? 1 : 0) - p[j]);
      }
      EXPECT_NEAR(estimated, p[j] * (R[j] - expected), 1e-12);
    }
  }
}

TEST(Reinforce, LeaveOneOut) {
  const std::vector<double> returns = {1, 2, 6, 5, 5, 5};
  EXPECT_EQ(leave_one_out(returns, 3), (std::vector<double>{1 - 4, 2 - 3.5, 6 - 1.5, 0, 0, 0}));
  EXPECT_THROW(leave_one_out(returns, 1), Error);
  EXPECT_THROW(leave_one_out(returns, 4), Error);
}

}  // namespace
}  // namespace heed::reinforce_test
