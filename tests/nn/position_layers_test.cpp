// The layers that attention is compared with: convolution and a dense layer over positions.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/nn/conv1d.h"
#include "heed/nn/position_dense.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

TEST(Conv1d, Gradients) {
  const Rows rows = Rows::from_lengths({3, 1, 0, 4});
  check_gradients(
      [&](const Inputs& in) {
        Parameters parameters({.type = DType::f64});
        Conv1d conv(ParameterScope(parameters), 2, 3, 5);
        conv.linear.weight = in[1];
        conv.linear.bias = in[2];
        return conv(in[0], rows);
      },
      {random_tensor({8, 2}, 1), random_tensor({10, 3}, 2), random_tensor({3}, 3)});
}

TEST(Conv1d, ByHand) {
  Parameters parameters;
  Conv1d conv(ParameterScope(parameters), 1, 1, 3);
  conv.linear.weight = Tensor::from<float>({1, 10, 100}, {3, 1});
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {4, 1});
  const Tensor y = conv(x, Rows::from_lengths({3, 1}));
  const float expected[] = {210, 321, 32, 40};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(y.data<float>()[i], expected[i]);
}

TEST(Conv1d, BadInput) {
  Parameters parameters;
  const ParameterScope root(parameters);
  EXPECT_THROW(Conv1d(root.in("a"), 2, 3, 4), Error);
  EXPECT_THROW(Conv1d(root.in("b"), 2, 3, -1), Error);
  const Conv1d conv(root.in("c"), 2, 3, 3);
  EXPECT_THROW(conv(Tensor::zeros({4, 3}), Rows::single(4)), Error);
  EXPECT_THROW(conv(Tensor::zeros({4, 2}), Rows::single(3)), Error);
}

TEST(PositionDense, Gradients) {
  const Rows rows = Rows::from_lengths({3, 3});
  check_gradients(
      [&](const Inputs& in) {
        Parameters parameters({.type = DType::f64});
        PositionDense dense(ParameterScope(parameters), 3);
        dense.weight = in[1];
        dense.bias = in[2];
        return dense(in[0], rows);
      },
      {random_tensor({6, 4}, 1), random_tensor({3, 3}, 2), random_tensor({3}, 3)});
}

TEST(PositionDense, ByHand) {
  Parameters parameters;
  PositionDense dense(ParameterScope(parameters), 2);
  dense.weight = Tensor::from<float>({1, 10, 100, 1000}, {2, 2});
  dense.bias = Tensor::from<float>({0.5f, 0.25f}, {2});
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {4, 1});
  const Tensor y = dense(x, Rows::from_lengths({2, 2}));
  const float expected[] = {21.5f, 2100.25f, 43.5f, 4300.25f};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(y.data<float>()[i], expected[i]);
}

TEST(PositionDense, OtherLengthsAreErrors) {
  Parameters parameters;
  const PositionDense dense(ParameterScope(parameters), 3);
  EXPECT_THROW(dense(Tensor::zeros({5, 2}), Rows::from_lengths({3, 2})), Error);
  EXPECT_THROW(dense(Tensor::zeros({6, 2}), Rows::from_lengths({3})), Error);
  EXPECT_THROW(PositionDense(ParameterScope(parameters).in("b"), 0), Error);
}

}  // namespace
}  // namespace heed
