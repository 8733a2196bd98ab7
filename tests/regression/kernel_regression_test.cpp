#include "heed/regression/kernel_regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

Tensor column(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size()), 1});
}

Tensor width(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

double value(const Tensor& tensor, int64_t index) {
  const Tensor numbers = tensor.to(DType::f64).contiguous();
  return numbers.data<double>()[index];
}

TEST(KernelRegression, GaussianByHand) {
  // At 0: weights 1 and exp(-1/2). At 1/2: equal distances.
  const Tensor f = kernel_regression(column({0, 0.5}), column({0, 1}), column({2, 6}));
  ASSERT_EQ(f.shape(), Shape({2, 1}));
  const double w = std::exp(-0.5);
  EXPECT_NEAR(value(f, 0), (2 + 6 * w) / (1 + w), 1e-12);
  EXPECT_NEAR(value(f, 1), 4, 1e-12);
  // A width of 1/2 doubles the distance: exp(-2).
  const Tensor narrow = kernel_regression(column({0}), column({0, 1}), column({2, 6}),
                                          {.kernel = Gaussian{width({0.5})}});
  EXPECT_NEAR(value(narrow, 0), (2 + 6 * std::exp(-2.0)) / (1 + std::exp(-2.0)), 1e-12);
}

TEST(KernelRegression, TheNearestCountsWhereEveryKernelValueUnderflows) {
  const Tensor f = kernel_regression(column({1000}), column({0, 1}), column({2, 6}),
                                     {.kernel = Gaussian{width({0.1})}});
  EXPECT_NEAR(value(f, 0), 6, 1e-12);
}

TEST(KernelRegression, BoxcarIncludesItsEdge) {
  const Tensor x = column({0, 1, 2});
  const Tensor y = column({1, 5, 9});
  const Tensor f = kernel_regression(column({0, 0.99}), x, y, {.kernel = Boxcar{}});
  EXPECT_NEAR(value(f, 0), 3, 1e-12);  // 0 and, at distance 1, 1
  EXPECT_NEAR(value(f, 1), 3, 1e-12);  // 2 is 1.01 away
}

TEST(KernelRegression, OtherKernelsByHand) {
  const Tensor x = column({0, 1});
  const Tensor y = column({0, 4});
  const Tensor at = column({0.25});
  EXPECT_NEAR(value(kernel_regression(at, x, y, {.kernel = Triangular{}}), 0), 1, 1e-12);
  const double near = 1 - 0.0625;
  const double far = 1 - 0.5625;
  EXPECT_NEAR(value(kernel_regression(at, x, y, {.kernel = Epanechnikov{}}), 0),
              4 * far / (near + far), 1e-12);
  EXPECT_NEAR(value(kernel_regression(at, x, y, {.kernel = Constant{}}), 0), 2, 1e-12);
  const CustomScore inverse{[](std::span<const double> q, std::span<const double> k) {
                              return 1 / (1 + std::abs(q[0] - k[0]));
                            },
                            nullptr};
  EXPECT_NEAR(value(kernel_regression(at, x, y, {.kernel = inverse}), 0),
              4 * (1 / 1.75) / (1 / 1.25 + 1 / 1.75), 1e-12);
}

TEST(KernelRegression, WidthsPerCoordinate) {
  const Tensor x = Tensor::from(std::vector<double>{0, 0, 1, 0, 0, 10}, {3, 2});
  const Tensor at = Tensor::zeros({1, 2}, DType::f64);
  const Tensor f =
      kernel_regression(at, x, column({1, 2, 4}), {.kernel = Gaussian{width({1, 10})}});
  const double w = std::exp(-0.5);  // both others are one width away
  EXPECT_NEAR(value(f, 0), (1 + 6 * w) / (1 + 2 * w), 1e-12);
}

TEST(KernelRegression, OneHotTargetsGiveProbabilities) {
  const Tensor x = Tensor::from(std::vector<float>{0, 1, 2, 3, 4}, {5, 1});
  const Tensor y =
      Tensor::from(std::vector<float>{1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1}, {5, 3});
  const Tensor at = Tensor::from(std::vector<float>{-1, 0.3f, 2.2f, 7}, {4, 1});
  const Tensor p = kernel_regression(at, x, y);
  ASSERT_EQ(p.shape(), Shape({4, 3}));
  for (int64_t i = 0; i < 4; ++i) {
    double sum = 0;
    for (int64_t c = 0; c < 3; ++c) {
      EXPECT_GE(value(p, 3 * i + c), 0);
      sum += value(p, 3 * i + c);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  EXPECT_GT(value(p, 0), 0.5);
  EXPECT_GT(value(p, 11), 0.5);
}

TEST(KernelRegression, EveryEmptyRule) {
  const Tensor x = column({0, 1, 5});
  const Tensor y = column({1, 3, 8});
  const Tensor at = column({0, 3.5});  // nothing within 1 of 3.5
  RegressionOptions options{.kernel = Boxcar{}};
  try {
    kernel_regression(at, x, y, options);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("in reach of query 1;"), std::string::npos)
        << error.what();
  }
  options.empty = EmptyRule::uniform;
  EXPECT_NEAR(value(kernel_regression(at, x, y, options), 1), 4, 1e-12);
  EXPECT_NEAR(value(kernel_regression_weights(at, x, options), 4), 1.0 / 3, 1e-12);
  options.empty = EmptyRule::nearest;
  EXPECT_EQ(value(kernel_regression(at, x, y, options), 1), 8);
  EXPECT_EQ(value(kernel_regression_weights(at, x, options), 5), 1);
  options.empty = EmptyRule::nan;
  EXPECT_TRUE(std::isnan(value(kernel_regression(at, x, y, options), 1)));
  EXPECT_TRUE(std::isnan(value(kernel_regression_weights(at, x, options), 3)));
  EXPECT_NEAR(value(kernel_regression(at, x, y, options), 0), 2, 1e-12);  // the others stay
}

TEST(KernelRegression, NearestMeasuresInWidths) {
  // 2 away in the first coordinate, which is 4 wide; 1 away in the second, which is 0.1 wide.
  const Tensor x = Tensor::from(std::vector<double>{5, 0, 0, 1}, {2, 2});
  const Tensor f =
      kernel_regression(Tensor::zeros({1, 2}, DType::f64), x, column({1, 2}),
                        {.kernel = Triangular{width({4, 0.1})}, .empty = EmptyRule::nearest});
  EXPECT_EQ(value(f, 0), 1);
}

TEST(KernelRegression, WeightsReproduceTheAnswer) {
  const Tensor x = Tensor::from(std::vector<float>{0, 0.4f, 1.1f, 2}, {4, 1});
  const Tensor y = Tensor::from(std::vector<float>{1, -2, 3, 5}, {4, 1});
  const Tensor at = Tensor::from(std::vector<float>{0.1f, 1, 1.9f}, {3, 1});
  for (const Score& kernel :
       {Score(Gaussian{}), Score(Boxcar{}), Score(Triangular{}), Score(Constant{})}) {
    const Tensor f = kernel_regression(at, x, y, {.kernel = kernel});
    const Tensor w = kernel_regression_weights(at, x, {.kernel = kernel});
    ASSERT_EQ(w.shape(), Shape({3, 4}));
    for (int64_t i = 0; i < 3; ++i) {
      double sum = 0;
      double total = 0;
      for (int64_t j = 0; j < 4; ++j) {
        sum += value(w, 4 * i + j) * value(y, j);
        total += value(w, 4 * i + j);
      }
      EXPECT_NEAR(sum, value(f, i), 1e-5);
      EXPECT_NEAR(total, 1, 1e-6);
    }
  }
}

TEST(KernelRegression, SaysWhatIsWrong) {
  const Tensor x = column({0, 1});
  EXPECT_THROW(kernel_regression(x, x, column({1, 2, 3})), Error);
  EXPECT_THROW(
      kernel_regression(x, Tensor::zeros({0, 1}, DType::f64), Tensor::zeros({0, 1}, DType::f64)),
      Error);
  EXPECT_THROW(kernel_regression(Tensor::zeros({2}, DType::f64), x, x), Error);
  EXPECT_THROW(kernel_regression(Tensor::zeros({2, 3}, DType::f64), x, x), Error);
}

}  // namespace
}  // namespace heed
