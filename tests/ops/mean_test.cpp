#include "heed/ops/mean.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::mean_test {
namespace {

Variable all(const Inputs& in) { return mean(in[0]); }
Variable rows(const Inputs& in) { return mean_rows(in[0]); }
Operation of(const Rows& sequences) {
  return [sequences](const Inputs& in) { return sequence_mean(in[0], sequences); };
}

TEST(Mean, ByHand) {
  const Tensor x = Tensor::from<float>(std::vector<float>{1, 2, 3, 4, 5, 9}, {3, 2});
  EXPECT_EQ(mean(x).value().item(), 4);
  EXPECT_EQ(mean_rows(x).value().data<float>()[1], 5);
  const Tensor y = sequence_mean(x, Rows::from_lengths({2, 0, 1}));
  const float expected[] = {2, 3, 0, 0, 5, 9};
  ASSERT_EQ(y.shape(), (Shape{3, 2}));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y.data<float>()[i], expected[i]);
}

TEST(Mean, Gradients) {
  check_gradients(all, {random_tensor({2, 3, 4}, 1)});
  check_gradients(rows, {random_tensor({3, 5}, 1)});
  check_gradients(of(Rows::from_lengths({2, 0, 4})), {random_tensor({6, 5}, 1)});
}

TEST(Mean, FastPath) {
  check_float32(all, {random_tensor({50, 77}, 1)});
  check_float32(rows, {random_tensor({300, 33}, 1)});
  check_float32(of(Rows::from_lengths({70, 0, 1, 129})), {random_tensor({200, 33}, 1)});
}

TEST(Mean, Threads) {
  const Tensor x = random_tensor({2601, 515}, 1, DType::f32);
  check_threads(all, {x});
  check_threads(rows, {x});
  check_threads(of(Rows::from_lengths({2000, 1, 600})), {x});
}

TEST(Mean, ASequenceAloneAndInCompany) {
  const Tensor x = random_tensor({500, 37}, 1, DType::f32);
  const Tensor y = sequence_mean(x, Rows::from_lengths({170, 200, 130}));
  const Tensor alone = sequence_mean(x.slice(0, 170, 370), Rows::single(200));
  expect_same_bits(alone, y.slice(0, 1, 2), "the second sequence");
}

TEST(Mean, BadInput) {
  EXPECT_THROW(mean(Tensor::zeros({0, 3})), Error);
  EXPECT_THROW(mean_rows(Tensor::zeros({3})), Error);
  EXPECT_THROW(sequence_mean(Tensor::zeros({3, 2}), Rows::single(4)), Error);
}

}  // namespace
}  // namespace heed::mean_test
