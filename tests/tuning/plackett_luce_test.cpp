#include "heed/tuning/plackett_luce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::plackett_luce_test {
namespace {

// Two answers are a pair of Bradley and Terry.
TEST(PlackettLuce, TwoAnswersAreAPair) {
  const Tensor s = random_tensor({4}, 1, DType::f64, -3, 3);
  const double* x = s.data<double>();
  const double expected = std::log1p(std::exp(x[1] - x[0])) + std::log1p(std::exp(x[3] - x[2]));
  const std::vector<int64_t> sizes = {2, 2};
  EXPECT_NEAR(plackett_luce(s, sizes).value().item(), expected / 2, 1e-12);
}

// The probabilities of all orders of three answers are together 1.
TEST(PlackettLuce, AllOrdersTogether) {
  const double s[3] = {0.3, -1.2, 0.8};
  int order[3] = {0, 1, 2};
  const std::vector<int64_t> sizes = {3};
  double total = 0;
  do {
    const Tensor x =
        Tensor::from<double>(std::vector<double>{s[order[0]], s[order[1]], s[order[2]]}, {3});
    total += std::exp(-plackett_luce(x, sizes).value().item());
  } while (std::next_permutation(order, order + 3));
  EXPECT_NEAR(total, 1, 1e-12);
}

TEST(PlackettLuce, Gradients) {
  const std::vector<int64_t> sizes = {2, 4, 3};
  check_gradients([&](const Inputs& in) { return plackett_luce(in[0], sizes, 5); },
                  {random_tensor({9}, 1, DType::f64, -2, 2)});
}

TEST(PlackettLuce, WrongSizes) {
  const Tensor s = Tensor::zeros({3}, DType::f64);
  EXPECT_THROW(plackett_luce(s, std::vector<int64_t>{2, 1}), Error);
  EXPECT_THROW(plackett_luce(s, std::vector<int64_t>{2}), Error);
}

}  // namespace
}  // namespace heed::plackett_luce_test
