#include "heed/ops/concatenate.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Operation concatenate_along(int axis) {
  return [axis](const Inputs& in) { return concatenate(in, axis); };
}

TEST(Concatenate, ByHand) {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor b = Tensor::from<float>({5, 6}, {2, 1});
  const Tensor y = concatenate({a, b}, -1).value();
  const float expected[] = {1, 2, 5, 3, 4, 6};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y.data<float>()[i], expected[i]);
}

TEST(Concatenate, Gradients) {
  const std::vector<std::vector<Tensor>> cases = {
      {random_tensor({2, 4, 5}, 1), random_tensor({3, 4, 5}, 2)},
      {random_tensor({3, 2, 5}, 1), random_tensor({3, 4, 5}, 2), random_tensor({3, 3, 5}, 3)},
      {random_tensor({3, 4, 2}, 1), random_tensor({3, 4, 6}, 2)}};
  for (int axis = 0; axis < 3; ++axis) {
    check_gradients(concatenate_along(axis), cases[axis]);
    check_float32(concatenate_along(axis - 3), cases[axis]);
  }
}

TEST(Concatenate, TakesViewsAndEmptyOnes) {
  const Tensor x = random_tensor({4, 6}, 1, DType::f32);
  const Tensor again =
      concatenate({x.slice(1, 0, 2), x.slice(1, 2, 2), x.slice(1, 2, 6)}, 1).value();
  expect_same_bits(again, x, "cut and joined");
}

// Copies of a megabyte each, whole and by rows.
TEST(Concatenate, SameBitsForAnyThreads) {
  const Tensor x = random_tensor({601, 515}, 1, DType::f32);
  check_threads(concatenate_along(0), {x, random_tensor({530, 515}, 2, DType::f32)});
  check_threads(concatenate_along(1), {x, random_tensor({601, 450}, 2, DType::f32)});
}

TEST(Concatenate, BadInput) {
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THROW(concatenate({}, 0), Error);
  EXPECT_THROW(concatenate({x, Tensor::zeros({2, 4})}, 0), Error);
  EXPECT_THROW(concatenate({x, Tensor::zeros({2})}, 0), Error);
  EXPECT_THROW(concatenate({x, x.to(DType::f64)}, 0), Error);
  EXPECT_THROW(concatenate({x, x}, 2), Error);
  EXPECT_THROW(concatenate({x, Tensor()}, 0), Error);
  EXPECT_THROW(concatenate({Tensor(), x}, 0), Error);
}

}  // namespace
}  // namespace heed
