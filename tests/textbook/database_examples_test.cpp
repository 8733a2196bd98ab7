// The pooling examples: fuzzy dictionary, first approach, kernels, regression.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/textbook/consistency.h"
#include "heed/textbook/fuzzy_dictionary.h"
#include "heed/textbook/kernel_curve.h"
#include "heed/textbook/self_share.h"
#include "heed/textbook/sine_experiment.h"

namespace heed {
namespace {

FuzzyDictionary fruit() { return FuzzyDictionary({{"apple", 8}, {"apricot", 4}, {"orange", 3}}); }

// R8, R110: the numbers of the analogy, and what softmax of the same similarities gives.
TEST(FuzzyDictionary, OrangicotIsThreePointFour) {
  const std::vector<double> similarities{0, 20, 30};
  const FuzzyAnswer by_sum = fruit().lookup(similarities);
  EXPECT_NEAR(by_sum.value, 3.4, 1e-12);
  EXPECT_NEAR(by_sum.weights[0], 0, 0);
  EXPECT_NEAR(by_sum.weights[1], 0.4, 1e-12);
  EXPECT_NEAR(by_sum.weights[2], 0.6, 1e-12);
  const FuzzyAnswer by_softmax = fruit().lookup(similarities, Normalizer::softmax);
  EXPECT_NEAR(by_softmax.value, 3.0000454, 5e-8);
}

// R8
TEST(FuzzyDictionary, ExactLookupNamesTheMissingKey) {
  EXPECT_EQ(fruit().at("apple"), 8);
  try {
    fruit().at("orangicot");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no key 'orangicot'"), std::string::npos);
  }
  EXPECT_THROW(FuzzyDictionary({}), Error);
  EXPECT_THROW(fruit().lookup(std::vector<double>{1}), Error);
}

// R9, R10
TEST(SelfShare, AWordTakesMostOfItself) {
  Tensor x = Tensor::zeros({3, 3}, DType::f64);
  for (int i = 0; i < 3; ++i) x.data<double>()[4 * i] = 2;
  const SelfShare result = self_share(x);
  EXPECT_NEAR(result.share, std::exp(4.0) / (std::exp(4.0) + 2), 1e-12);
  EXPECT_EQ(result.dot_products, 9);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::as_const(result.weights_without_self).data<double>()[4 * i], 0);
  }
  EXPECT_NEAR(std::as_const(result.weights_without_self).data<double>()[1], 0.5, 1e-12);
  EXPECT_THROW(self_share(Tensor::zeros({0, 2})), Error);
}

// R11, R12, R13, R14
TEST(KernelCurve, ValuesByHand) {
  const std::vector<double> u{-1, 0, 0.5, 1, 1.0001};
  const auto at = [&](const Score& kernel, int64_t i) {
    const Tensor curve = kernel_curve(kernel, u);
    return curve.data<double>()[i];
  };
  EXPECT_NEAR(at(Gaussian{}, 2), std::exp(-0.125), 1e-15);
  EXPECT_NEAR(at(Gaussian{Tensor::full({1}, 0.5, DType::f64)}, 2), std::exp(-0.5), 1e-15);
  EXPECT_EQ(at(Boxcar{}, 0), 1);  // the edge is included
  EXPECT_EQ(at(Boxcar{}, 3), 1);
  EXPECT_EQ(at(Boxcar{}, 4), 0);
  EXPECT_EQ(at(Triangular{}, 2), 0.5);
  EXPECT_EQ(at(Epanechnikov{}, 2), 0.75);
  EXPECT_EQ(at(Epanechnikov{}, 4), 0);
  EXPECT_EQ(at(Constant{}, 4), 1);
}

// R7, R17, R19
TEST(SineExperiment, NarrowFitsFollowTheCurveAndTheConstantDoesNot) {
  const SineExperiment data = sine_experiment();
  EXPECT_EQ(data.x_seen.shape(), Shape({40, 1}));
  EXPECT_EQ(data.x.shape(), Shape({50, 1}));
  const SineFit gaussian = fit_sine(data, {.kernel = Gaussian{}});
  const SineFit constant = fit_sine(data, {.kernel = Constant{}});
  EXPECT_LT(gaussian.error, constant.error);
  EXPECT_LT(gaussian.error, 0.7);
  EXPECT_EQ(gaussian.weights.shape(), Shape({50, 40}));
  EXPECT_THROW(sine_experiment({.observations = 0}), Error);
}

// R18: 64 times the data; the narrowing width's error falls on, the fixed width's stalls.
TEST(Consistency, ErrorFallsOnlyIfTheWidthNarrows) {
  const std::vector<int64_t> sizes{50, 400, 3200};
  const std::vector<ConsistencyPoint> points = consistency_experiment(sizes);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR(points[0].narrowing_width, std::pow(50.0, -0.2), 1e-12);
  EXPECT_LT(points[1].narrowing_error, 0.5 * points[0].narrowing_error);
  EXPECT_LT(points[2].narrowing_error, 0.5 * points[1].narrowing_error);
  EXPECT_GT(points[2].fixed_error, 0.5 * points[1].fixed_error);
  EXPECT_GT(points[2].fixed_error, 5 * points[2].narrowing_error);
}

}  // namespace
}  // namespace heed
