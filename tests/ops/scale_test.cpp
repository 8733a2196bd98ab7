#include "heed/ops/scale.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::scale_test {
namespace {

Variable apply(const Inputs& in) { return scale(in[0], -2.5); }

TEST(Scale, ByHand) {
  const Tensor y = scale(Tensor::full({3}, 4), 0.25);
  EXPECT_EQ(y.data<float>()[2], 1);
}

TEST(Scale, Gradients) {
  check_gradients(apply, {random_tensor({3, 5}, 1)});
  check_float32(apply, {random_tensor({33, 17}, 1)}, 1e-6);
}

TEST(Scale, Threads) { check_threads(apply, {random_tensor({601, 515}, 1, DType::f32)}); }

TEST(Scale, Views) {
  const Tensor x = random_tensor({6, 40}, 1, DType::f32).slice(1, 2, 35);
  expect_same_bits(scale(x, 0.3).value(), scale(x.clone(), 0.3).value(), "a view");
}

// Forward by rows, which are apart, and backward as one array.
TEST(Scale, LargeResults) {
  check_large(apply, {random_tensor({kLargeRows, 1040}, 1, DType::f32).slice(1, 8, 1032)});
}

TEST(Scale, BadInput) { EXPECT_THROW(scale(Tensor::zeros({3}, DType::i32), 2), Error); }

}  // namespace
}  // namespace heed::scale_test
