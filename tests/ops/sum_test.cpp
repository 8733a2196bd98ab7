#include "heed/ops/sum.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::sum_test {
namespace {

Variable all(const Inputs& in) { return sum(in[0]); }
Variable rows(const Inputs& in) { return sum_rows(in[0]); }

TEST(Sum, ByHand) {
  const Tensor x = Tensor::from<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(sum(x).value().item(), 21);
  EXPECT_EQ(sum_rows(x).value().data<float>()[0], 9);
  EXPECT_EQ(sum_rows(x).value().data<float>()[1], 12);
  EXPECT_EQ(sum(Tensor::zeros({0, 3})).value().item(), 0);
}

TEST(Sum, Gradients) {
  check_gradients(all, {random_tensor({2, 3, 4}, 1)});
  check_gradients(rows, {random_tensor({3, 5}, 1)});
}

TEST(Sum, FastPath) {
  check_float32(all, {random_tensor({50, 77}, 1)});
  check_float32(all, {random_tensor({3}, 1)});
  check_float32(rows, {random_tensor({300, 33}, 1)});
}

TEST(Sum, Threads) {
  const Tensor x = random_tensor({2601, 515}, 1, DType::f32);
  check_threads(all, {x});
  check_threads(rows, {x});
}

TEST(Sum, Views) {
  const Tensor x = random_tensor({60, 40}, 1, DType::f32).slice(1, 2, 35);
  expect_same_bits(sum(x).value(), sum(x.clone()).value(), "sum of a view");
  expect_same_bits(sum_rows(x).value(), sum_rows(x.clone()).value(), "sum of rows of a view");
}

TEST(Sum, BadInput) {
  EXPECT_THROW(sum(Tensor::zeros({3}, DType::i32)), Error);
  EXPECT_THROW(sum(Tensor()), Error);
  EXPECT_THROW(sum_rows(Tensor::zeros({3})), Error);
}

}  // namespace
}  // namespace heed::sum_test
