#include "heed/tuning/ppo_clip.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/tuning/reinforce.h"
#include "tests/ops/gradient_check.h"

namespace heed::ppo_clip_test {
namespace {

const std::vector<double> kOld = {-1, -2, -0.5, -1.5, -3};
const std::vector<double> kAdvantages = {1, -1, 2, -0.5, 0.75};

TEST(PpoClip, ByHand) {
  // Ratios 2, 2, 1/2, 1/2 with advantages of both signs, range 0.2.
  const double h = std::log(2.0);
  const Tensor logs = Tensor::from<double>({h, h, -h, -h}, {4});
  const std::vector<double> old(4), advantages = {1, -1, 1, -1};
  const Variable x = Variable::parameter(logs);
  const Variable loss = ppo_clip(x, old, advantages, {.range = 0.2, .count = 1});
  EXPECT_NEAR(loss.value().item(), -(1.2 - 2 + 0.5 - 0.8), 1e-12);
  const Tensor d = backward(loss).of(x);
  const double expected[] = {0, 2, -0.5, 0};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(d.data<double>()[i], expected[i], 1e-12);
  EXPECT_EQ(clipped_share(logs, old, advantages, 0.2), 0.5);
}

TEST(PpoClip, Gradients) {
  for (const double range : {0.05, 0.2, 1e9}) {
    check_gradients(
        [&](const Inputs& in) { return ppo_clip(in[0], kOld, kAdvantages, {.range = range}); },
        {random_tensor({5}, 1, DType::f64, -2, 0)});
  }
}

// Nothing has moved yet: ratio 1, and the bits of the gradient are those of REINFORCE.
TEST(PpoClip, TheFirstStepIsReinforce) {
  for (const DType type : {DType::f32, DType::f64}) {
    const Variable x = Variable::parameter(Tensor::from(kOld, {5}).to(type));
    const Tensor ppo = backward(ppo_clip(x, kOld, kAdvantages, {.count = 3})).of(x);
    const Tensor plain = backward(reinforce(x, kAdvantages, 3)).of(x);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(ppo.to(DType::f64).data<double>()[i], plain.to(DType::f64).data<double>()[i]);
    }
  }
}

}  // namespace
}  // namespace heed::ppo_clip_test
