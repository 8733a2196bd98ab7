#include "heed/ops/split.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/matmul.h"
#include "heed/ops/sum.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

TEST(Split, PartsAreViews) {
  const Tensor x = random_tensor({4, 6}, 1, DType::f32);
  const std::vector<Variable> parts = split(x, {1, 3, 2});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].shape(), Shape({4, 3}));
  EXPECT_EQ(parts[2].value().data<float>(), x.data<float>() + 4);
  expect_same_bits(concatenate(parts, 1), x, "joined again");
}

TEST(Split, Gradients) {
  for (int axis : {0, 1, -1}) {
    check_gradients(
        [axis](const Inputs& in) {
          const std::vector<Variable> p = split(in[0], {2, 1, 3}, axis);
          return concatenate({p[2], p[0], p[1]}, axis);
        },
        {random_tensor(axis == 1 ? Shape{4, 6, 5} : Shape{6, 4, 6}, 1)});
  }
}

TEST(Split, SameBitsForAnyThreads) {
  check_threads(
      [](const Inputs& in) {
        const std::vector<Variable> p = split(in[0], {300, 200, 400});
        return concatenate({p[2], p[0], p[1]}, 1);
      },
      {random_tensor({601, 900}, 1, DType::f32)});
}

// A part used twice, and one not at all; x itself used elsewhere too.
TEST(Split, UnusedParts) {
  const auto f = [](const Inputs& in) {
    const std::vector<Variable> p = split(in[0], {2, 3, 2});
    const Variable products = matmul(p[0], p[2], {.transpose_b = true});
    return concatenate({products, p[0], in[0]}, 1);
  };
  check_gradients(f, {random_tensor({4, 7}, 1)});
  check_float32(f, {random_tensor({4, 7}, 1)});
}

// Like every node, x is differentiated once; a second loss on another part must not find zeros.
TEST(Split, TwoLosses) {
  const Variable x = Variable::parameter(random_tensor({4, 6}, 1));
  const std::vector<Variable> p = split(x, {2, 4});
  const Gradients first = backward(sum(p[0]));
  EXPECT_EQ(first.of(x).data<double>()[1], 1);
  EXPECT_EQ(first.of(x).data<double>()[2], 0);
  EXPECT_THROW(backward(sum(p[1])), Error);
}

TEST(Split, BadInput) {
  const Tensor x = Tensor::zeros({4, 6});
  EXPECT_THROW(split(x, {2, 3}), Error);
  EXPECT_THROW(split(x, {7, -1}), Error);
  EXPECT_THROW(split(x, {INT64_MAX, INT64_MAX}), Error);
  EXPECT_THROW(split(x, {}), Error);
  EXPECT_THROW(split(x, {3, 3}, 2), Error);
  EXPECT_THROW(split(Tensor(), {0}), Error);
}

}  // namespace
}  // namespace heed
