#include "heed/ops/reshape.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

TEST(Reshape, Gradients) {
  check_gradients(
      [](const Inputs& in) {
        return reshape(in[0], {3, 8});
      },
      {random_tensor({4, 6}, 1)});
  check_gradients([](const Inputs& in) { return split_heads(in[0], 3); },
                  {random_tensor({4, 6}, 1)});
  check_gradients([](const Inputs& in) { return join_heads(in[0]); },
                  {random_tensor({4, 3, 2}, 1)});
}

TEST(Reshape, HeadsAreViews) {
  const Tensor x = random_tensor({4, 6}, 1, DType::f32);
  const Variable heads = split_heads(x, 3);
  EXPECT_EQ(heads.shape(), Shape({4, 3, 2}));
  EXPECT_EQ(heads.value().data<float>(), x.data<float>());
  EXPECT_EQ(join_heads(heads).value().data<float>(), x.data<float>());
}

TEST(Reshape, JoinsHeadsThatAreNotAdjacent) {
  const Tensor wide = random_tensor({4, 3, 5}, 1, DType::f32);
  const Tensor x = wide.slice(2, 0, 2);  // [4, 3, 2] with head stride 5
  expect_same_bits(join_heads(x).value(), x.clone().reshape({4, 6}), "joined");
}

// Views whose rows are apart, for others are not copied.
TEST(Reshape, SameBitsForAnyThreads) {
  check_threads(
      [](const Inputs& in) {
        return reshape(in[0], {512, 601});
      },
      {random_tensor({601, 520}, 1, DType::f32).slice(1, 3, 515)});
  check_threads([](const Inputs& in) { return join_heads(in[0]); },
                {random_tensor({601, 8, 70}, 2, DType::f32).slice(2, 5, 69)});
}

TEST(Reshape, BadInput) {
  const Tensor x = Tensor::zeros({4, 6});
  EXPECT_THROW(reshape(x, {5, 5}), Error);
  EXPECT_THROW(split_heads(x, 4), Error);
  EXPECT_THROW(split_heads(x, 0), Error);
  EXPECT_THROW(join_heads(Tensor::zeros({4})), Error);
  EXPECT_THROW(join_heads(Tensor()), Error);
}

}  // namespace
}  // namespace heed
