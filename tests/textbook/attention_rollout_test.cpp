#include "heed/textbook/attention_rollout.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(AttentionRollout, OneLayerIsHalfResidual) {
  const std::vector<Tensor> layers{Tensor::from(std::vector<double>{0.25, 0.75, 1, 0}, {2, 2})};
  const Tensor mixed = attention_rollout(layers);
  const double expected[] = {0.625, 0.375, 0.5, 0.5};
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(mixed.data<double>()[i], expected[i]);
}

// The second layer reads what the first one mixed: R = (A_2 + I) / 2 (A_1 + I) / 2, in this order.
TEST(AttentionRollout, LaterLayersReadEarlierOnes) {
  const std::vector<Tensor> layers{
      Tensor::from(std::vector<float>{0, 1, 0, 0, 1, 0, 0, 0, 1}, {3, 3}),
      Tensor::from(std::vector<double>{1, 0, 0, 0, 1, 0, 1, 0, 0}, {3, 3})};
  const Tensor mixed = attention_rollout(layers);
  const double expected[] = {0.5, 0.5, 0, 0, 1, 0, 0.25, 0.25, 0.5};
  for (int i = 0; i < 9; ++i) EXPECT_DOUBLE_EQ(mixed.data<double>()[i], expected[i]) << i;
}

TEST(AttentionRollout, BadWeights) {
  EXPECT_THROW(attention_rollout({}), Error);
  const std::vector<Tensor> wide{Tensor::zeros({2, 3}, DType::f64)};
  EXPECT_THROW(attention_rollout(wide), Error);
  const std::vector<Tensor> mixed{Tensor::zeros({2, 2}, DType::f64),
                                  Tensor::zeros({3, 3}, DType::f64)};
  EXPECT_THROW(attention_rollout(mixed), Error);
}

}  // namespace
}  // namespace heed
