#include "heed/ops/add.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::add_test {
namespace {

Variable apply(const Inputs& in) { return add(in[0], in[1]); }

TEST(Add, ByHand) {
  const Tensor a = Tensor::from<float>(std::vector<float>{1, 2, 3, 4}, {2, 2});
  const Tensor row = Tensor::from<float>(std::vector<float>{10, 20}, {2});
  const Tensor y = add(a, row), twice = add(a, a);
  const float expected[] = {11, 22, 13, 24};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(y.data<float>()[i], expected[i]);
    EXPECT_EQ(twice.data<float>()[i], 2 * a.data<float>()[i]);
  }
}

TEST(Add, Gradients) {
  check_gradients(apply, {random_tensor({3, 5}, 1), random_tensor({3, 5}, 2)});
  check_gradients(apply, {random_tensor({2, 3, 5}, 1), random_tensor({5}, 2)});
  check_gradients([](const Inputs& in) { return add(in[0], in[0]); }, {random_tensor({3, 2}, 3)});
}

TEST(Add, FastPath) {
  for (const Shape& shape : {Shape{3, 5}, Shape{200, 33}, Shape{2, 3, 16}, Shape{7}}) {
    const int64_t C = shape[shape.rank() - 1];
    check_float32(apply, {random_tensor(shape, 1), random_tensor(shape, 2)}, 1e-6);
    check_float32(apply, {random_tensor(shape, 1), random_tensor({C}, 2)}, 1e-6);
  }
}

TEST(Add, Threads) {
  const Tensor a = random_tensor({601, 515}, 1, DType::f32);
  check_threads(apply, {a, random_tensor({601, 515}, 2, DType::f32)});
  check_threads(apply, {a, random_tensor({515}, 2, DType::f32)});
}

TEST(Add, Views) {
  const Tensor a = random_tensor({6, 40}, 1, DType::f32).slice(1, 2, 35);
  const Tensor b = random_tensor({9, 33}, 2, DType::f32).slice(0, 3, 9);
  const Tensor y = add(a, b);
  expect_same_bits(y, add(a.clone(), b.clone()).value(), "views");
  expect_same_bits(add(a.slice(0, 2, 3), b.slice(0, 2, 3)).value(), y.slice(0, 2, 3), "a row");
}

TEST(Add, LargeResults) {  // as one array, which ends inside a vector, and by rows
  const Shape shape = {kLargeRows, 1027};
  check_large(apply, {random_tensor(shape, 1, DType::f32), random_tensor(shape, 2, DType::f32)});
  check_large(apply, {random_tensor({kLargeRows, 1024}, 1, DType::f32),
                      random_tensor({1024}, 2, DType::f32)});
}

TEST(Add, BadInput) {
  const Tensor a = Tensor::zeros({3, 4});
  EXPECT_THROW(add(a, Tensor::zeros({3})), Error);
  EXPECT_THROW(add(a, Tensor::zeros({4, 3})), Error);
  EXPECT_THROW(add(a, Tensor::zeros({3, 4}, DType::f64)), Error);
  EXPECT_THROW(add(a, Tensor()), Error);
}

}  // namespace
}  // namespace heed::add_test
