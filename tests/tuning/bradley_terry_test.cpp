#include "heed/tuning/bradley_terry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::bradley_terry_test {
namespace {

const std::vector<PreferredPair> kPairs = {{0, 1}, {4, 2}, {3, 0}};

TEST(BradleyTerry, ByHand) {
  const Tensor equal = Tensor::zeros({2}, DType::f64);
  const std::vector<PreferredPair> one = {{0, 1}};
  EXPECT_DOUBLE_EQ(bradley_terry(equal, one).value().item(), std::log(2.0));
  // sigmoid(log 3) = 3/4
  const Tensor s = Tensor::from<double>({std::log(3.0), 0}, {2});
  EXPECT_NEAR(bradley_terry(s, one).value().item(), std::log(4.0 / 3), 1e-12);
  EXPECT_NEAR(bradley_terry(s, one, 10).value().item(), std::log(4.0 / 3) / 10, 1e-12);
  const Tensor far = Tensor::from<double>({-1000, 1000}, {2});
  EXPECT_NEAR(bradley_terry(far, one).value().item(), 2000, 1e-9);
}

TEST(BradleyTerry, Gradients) {
  check_gradients([](const Inputs& in) { return bradley_terry(in[0], kPairs, 7); },
                  {random_tensor({5}, 1, DType::f64, -2, 2)});
}

TEST(BradleyTerry, OnlyDifferencesCount) {
  const Tensor s = random_tensor({5}, 1);
  Tensor moved = s.clone();
  for (int i = 0; i < 5; ++i) moved.data<double>()[i] += 3;
  EXPECT_NEAR(bradley_terry(s, kPairs).value().item(), bradley_terry(moved, kPairs).value().item(),
              1e-12);
}

TEST(BradleyTerry, WrongPairs) {
  const Tensor s = Tensor::zeros({2}, DType::f64);
  EXPECT_THROW(bradley_terry(s, std::vector<PreferredPair>{{0, 2}}), Error);
  EXPECT_THROW(bradley_terry(s, std::vector<PreferredPair>{{1, 1}}), Error);
  EXPECT_THROW(bradley_terry(Tensor::zeros({2, 1}), std::vector<PreferredPair>{{0, 1}}), Error);
}

}  // namespace
}  // namespace heed::bradley_terry_test
