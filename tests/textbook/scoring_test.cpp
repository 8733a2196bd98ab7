// Scores in two forms, masked softmax, variance and saturation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/textbook/experiment_internal.h"
#include "heed/textbook/masked_softmax.h"
#include "heed/textbook/saturation.h"
#include "heed/textbook/score_forms.h"
#include "heed/textbook/score_variance.h"

namespace heed {
namespace {

// R21: softmax does not see the term of q, but that of the keys.
TEST(GaussianForms, ExpansionAndWhatSoftmaxSees) {
  const Tensor q = vector_of({1, 2});
  const Tensor keys = Tensor::from(std::vector<double>{0, 1, 3, 1, -1, 2}, {3, 2});
  const GaussianForms forms = gaussian_forms(q, keys);
  const std::vector<double> expected{-1, -2.5, -2};
  bool is_different = false;
  for (size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(forms.direct[j], expected[j], 1e-14);
    EXPECT_NEAR(forms.expanded[j], expected[j], 1e-14);
    EXPECT_NEAR(forms.without_q[j], forms.weights[j], 1e-14);
    is_different = is_different || std::abs(forms.dot_only[j] - forms.weights[j]) > 0.1;
  }
  EXPECT_TRUE(is_different);
  const std::vector<double> kernel = score_keys(q, keys, Gaussian{}).weights;
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(kernel[j], forms.weights[j], 1e-12);
  // Keys of one norm: the dot product alone does.
  const Tensor ring = Tensor::from(std::vector<double>{1, 0, 0, 1, 0.6, 0.8}, {3, 2});
  const GaussianForms same = gaussian_forms(q, ring);
  for (size_t j = 0; j < 3; ++j) EXPECT_NEAR(same.dot_only[j], same.weights[j], 1e-14);
}

// R26, R27, R28: no biases, and q and k of different widths.
TEST(AdditiveForms, IsAnMlpOnTheConcatenation) {
  const Additive score{normal_numbers({5, 2}, 1, 0), normal_numbers({5, 3}, 1, 1),
                       normal_numbers({5}, 1, 2)};
  const AdditiveForms forms =
      additive_forms(normal_numbers({2}, 1, 3), normal_numbers({4, 3}, 1, 4), score);
  for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(forms.additive[j], forms.mlp[j], 1e-12);
}

// R22, R23, R24, R25
TEST(ScoreKeys, ByHand) {
  const Tensor q = vector_of({1, 2});
  const Tensor keys = Tensor::from(std::vector<double>{1, 1, 0, 2}, {2, 2});
  EXPECT_NEAR(score_keys(q, keys, Dot{}).scores[0], 3, 1e-14);
  EXPECT_NEAR(score_keys(q, keys, ScaledDot{}).scores[1], 4 / std::sqrt(2.0), 1e-14);
  const Tensor m = Tensor::from(std::vector<double>{0, 1, 1, 0}, {2, 2});
  EXPECT_NEAR(score_keys(q, keys, Bilinear{m}).scores[1], 2, 1e-14);
  const ScoredKeys scaled = score_keys(q, keys, ScaledDot{});
  EXPECT_NEAR(scaled.weights[0] + scaled.weights[1], 1, 1e-14);
  EXPECT_NEAR(scaled.weights[1] / scaled.weights[0], std::exp(1 / std::sqrt(2.0)), 1e-12);
}

// R31, R32, R33, R34: lengths per row; what is masked is exactly 0, whatever it holds.
TEST(MaskedSoftmax, RowsByLength) {
  Tensor scores = normal_numbers({4, 10}, 3, 0);
  scores.data<double>()[2] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<int64_t> lengths{2, 6, 10, 0};
  const Tensor weights = masked_softmax(scores, lengths);
  for (int64_t i = 0; i < 4; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 10; ++j) {
      const double w = weights.data<double>()[i * 10 + j];
      if (j >= lengths[i]) {
        EXPECT_EQ(w, 0);
      }
      sum += w;
    }
    EXPECT_NEAR(sum, i == 3 ? 0 : 1, 1e-12);
  }
  const double* s = std::as_const(scores).data<double>();
  EXPECT_NEAR(weights.data<double>()[0], 1 / (1 + std::exp(s[1] - s[0])), 1e-12);
  EXPECT_THROW(masked_softmax(scores, std::vector<int64_t>{1, 2, 3, 11}), Error);
  EXPECT_THROW(masked_softmax(scores, std::vector<int64_t>{1}), Error);
}

// R112 (erratum 5): a finite constant gives the masked key all the weight.
TEST(MaskedSoftmax, AConstantInPlaceOfMinusInfinityFails) {
  const Tensor scores = Tensor::from(std::vector<double>{-2e6, -2e6, 0}, {1, 3});
  const std::vector<int64_t> lengths{2};
  EXPECT_EQ(numbers_of(softmax_masked_by_constant(scores, lengths))[2], 1);
  EXPECT_EQ(numbers_of(masked_softmax(scores, lengths))[2], 0);
  EXPECT_EQ(numbers_of(masked_softmax(scores, lengths))[0], 0.5);
}

// R48: within 1 % of theory over 100 seeds, m = 1 and m = 2.
TEST(ScoreVariance, MeanOfManySeedsIsTheory) {
  const RepeatedScoreVariance one = repeat_score_variance(100);
  EXPECT_NEAR(one.mean.query_variance, 1, 0.01);
  EXPECT_NEAR(one.mean.score_variance, 5000, 50);
  EXPECT_NEAR(one.mean.scaled_variance, 1, 0.01);
  EXPECT_GT(one.mean.largest_weight, 0.95);
  EXPECT_LT(one.mean.largest_scaled_weight, 0.5);
  EXPECT_GT(one.standard_error, 0);
  const RepeatedScoreVariance two = repeat_score_variance(5, {.width = 500, .deviation = 2});
  EXPECT_NEAR(two.mean.query_variance, 4, 0.1);
  EXPECT_NEAR(two.mean.score_variance, 500 * 16, 1000);
  EXPECT_NEAR(two.mean.expected_score, 500 * 16, 1e-9);
  EXPECT_GT(two.mean.largest_scaled_weight, one.mean.largest_scaled_weight);
}

// R49
TEST(Saturation, LargeScoresPassNoGradient) {
  const std::vector<double> scores{0.5, -1, 1.5, 0};
  const std::vector<double> scales{0, 1, 10, 1000};
  const std::vector<SaturationPoint> points = saturation(scores, scales);
  EXPECT_NEAR(points[0].largest, 0.25, 1e-12);
  EXPECT_NEAR(points[0].entropy, std::log(4.0), 1e-12);
  EXPECT_LT(points[1].largest, points[2].largest);
  EXPECT_GT(points[1].gradient_norm, points[2].gradient_norm);
  EXPECT_EQ(points[3].largest, 1);
  EXPECT_EQ(points[3].float_gradient_norm, 0);
}

}  // namespace
}  // namespace heed
