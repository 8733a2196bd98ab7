#include "heed/ops/softmax.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed::softmax_test {
namespace {

Variable apply(const Inputs& in) { return softmax(in[0]); }

TEST(Softmax, ByHand) {
  const Tensor x = Tensor::from<double>(std::vector<double>{0, std::log(3.0), 5, 5}, {2, 2});
  const Tensor y = softmax(x);
  const double expected[] = {0.25, 0.75, 0.5, 0.5};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(y.data<double>()[i], expected[i], 1e-15);
}

TEST(Softmax, Gradients) {
  check_gradients(apply, {random_tensor({3, 5}, 1, DType::f64, -3, 3)});
  check_gradients(apply, {random_tensor({2, 3, 4}, 2, DType::f64, -3, 3)});
}

TEST(Softmax, FastPath) {
  for (const Shape& shape : {Shape{5, 1}, Shape{1, 7}, Shape{3, 16}, Shape{4, 67}, Shape{2, 3, 200},
                             Shape{2, 5000}, Shape{9}}) {
    check_float32(apply, {random_tensor(shape, 3, DType::f64, -8, 8)}, 2e-6);
  }
}

TEST(Softmax, RowsSumToOne) {
  const Tensor y = softmax(random_tensor({20, 333}, 4, DType::f32, -90, 90));
  for (int64_t r = 0; r < 20; ++r) {
    double sum = 0;
    for (int64_t i = 0; i < 333; ++i) sum += y.data<float>()[r * 333 + i];
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(Softmax, MaskedElements) {
  for (DType type : {DType::f32, DType::f64}) {
    Tensor x = random_tensor({3, 37}, 5, type);
    x.slice(0, 1, 2).fill(-INFINITY);                  // a row with nothing
    x.slice(0, 2, 3).slice(1, 0, 36).fill(-INFINITY);  // a row with one
    const Derivatives result = differentiate(apply, {x});
    const Tensor y = result.y.to(DType::f64), dx = result.dx[0].to(DType::f64);
    for (int64_t i = 0; i < 37; ++i) {
      EXPECT_EQ(y.data<double>()[37 + i], 0);
      EXPECT_EQ(dx.data<double>()[37 + i], 0);
      EXPECT_EQ(y.data<double>()[2 * 37 + i], i == 36 ? 1 : 0);
    }
  }
}

// A row with a NaN is NaN, wherever the NaN stands and whatever else there is.
TEST(Softmax, NotANumber) {
  for (DType type : {DType::f32, DType::f64}) {
    for (const double other : {-double{INFINITY}, 0.5}) {
      for (const int64_t at : {0, 1, 15, 16, 36}) {
        Tensor x = Tensor::full({2, 37}, other, type);
        x.slice(0, 0, 1).slice(1, at, at + 1).fill(NAN);
        const Tensor y = softmax(x).value().to(DType::f64);
        for (int64_t i = 0; i < 37; ++i) {
          EXPECT_TRUE(std::isnan(y.data<double>()[i])) << at << ", " << i << ", " << name(type);
          EXPECT_FALSE(std::isnan(y.data<double>()[37 + i]));
        }
      }
    }
  }
}

TEST(Softmax, Threads) { check_threads(apply, {random_tensor({601, 515}, 6, DType::f32)}); }

TEST(Softmax, SameBitsAloneAndInViews) {
  const Tensor x = random_tensor({7, 53}, 7, DType::f32, -5, 5).slice(1, 3, 48);
  const Derivatives all = differentiate(apply, {x}), copy = differentiate(apply, {x.clone()});
  expect_same_bits(all.y, copy.y, "a view");
  expect_same_bits(all.dx[0], copy.dx[0], "gradient of a view");
  check_rows_alone(apply, {x}, all, 4, 5);
}

TEST(Softmax, LargeResults) {
  Tensor x = random_tensor({kLargeRows, 1024}, 8, DType::f32, -5, 5);
  x.slice(0, 5, 6).fill(-INFINITY);  // a row with nothing
  check_large(apply, {x});
}

TEST(Softmax, BadInput) {
  EXPECT_THROW(softmax(Tensor()), Error);
  EXPECT_THROW(softmax(Tensor::zeros({2, 2}, DType::i64)), Error);
  EXPECT_THROW(softmax(Tensor::full(Shape{}, 1)), Error);
}

}  // namespace
}  // namespace heed::softmax_test
