#include "heed/tuning/dpo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::dpo_test {
namespace {

const std::vector<double> kReference = {-4, -3.5, -7, -1};
const std::vector<int64_t> kSizes = {2, 2};

TEST(Dpo, Log2WhileNothingMoved) {
  const Tensor logs = Tensor::from(kReference, {4});
  EXPECT_EQ(dpo(logs, kReference, kSizes).value().item(), std::log(2.0));
  EXPECT_EQ(dpo(logs.to(DType::f32), kReference, kSizes).value().item(),
            static_cast<double>(static_cast<float>(std::log(2.0))));
}

TEST(Dpo, ByHand) {
  // The policy is log 3 / beta surer of the better answer than the reference is.
  const Tensor logs = Tensor::from<double>({-4 + std::log(3.0) / 0.5, -3.5}, {2});
  const std::vector<double> reference = {-4, -3.5};
  const std::vector<int64_t> sizes = {2};
  EXPECT_NEAR(dpo(logs, reference, sizes, {.beta = 0.5}).value().item(), std::log(4.0 / 3), 1e-12);
}

TEST(Dpo, Gradients) {
  check_gradients(
      [](const Inputs& in) { return dpo(in[0], kReference, kSizes, {.beta = 0.3, .count = 5}); },
      {random_tensor({4}, 1, DType::f64, -5, 0)});
  const std::vector<int64_t> one_ranking = {4};
  check_gradients(
      [&](const Inputs& in) { return dpo(in[0], kReference, one_ranking, {.beta = 0.3}); },
      {random_tensor({4}, 2, DType::f64, -5, 0)});
}

TEST(Dpo, WrongOptions) {
  const Tensor logs = Tensor::from(kReference, {4});
  EXPECT_THROW(dpo(logs, kReference, kSizes, {.beta = 0}), Error);
  EXPECT_THROW(dpo(logs, std::vector<double>{1}, kSizes), Error);
}

}  // namespace
}  // namespace heed::dpo_test
