#include "heed/tuning/preference_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"

namespace heed::preference_report_test {
namespace {

TEST(PreferenceReport, ByHand) {
  // Two pairs right and one wrong; the better one is longer in one of three.
  const std::vector<double> scores = {1, 0, 2, 0, 0, 3};
  const std::vector<int64_t> lengths = {5, 3, 2, 4, 2, 6}, sizes = {2, 2, 2};
  const PreferenceReport report = preference_report(scores, lengths, sizes);
  EXPECT_EQ(report.pairs, 3);
  EXPECT_NEAR(report.accuracy, 2.0 / 3, 1e-12);
  EXPECT_LT(report.interval.low, 2.0 / 3);
  EXPECT_GT(report.interval.high, 2.0 / 3);
  EXPECT_NEAR(report.longer, 1.0 / 3, 1e-12);
  EXPECT_NEAR(report.length_bias, 2.0 / 3, 1e-12);  // the first and the third
}

TEST(PreferenceReport, ARankingIsAllItsPairs) {
  const std::vector<double> scores = {3, 1, 2};
  const std::vector<int64_t> lengths = {1, 1, 1}, sizes = {3};
  const PreferenceReport report = preference_report(scores, lengths, sizes);
  EXPECT_EQ(report.pairs, 3);
  EXPECT_NEAR(report.accuracy, 2.0 / 3, 1e-12);
  EXPECT_EQ(report.longer, 0.5);
  EXPECT_EQ(report.length_correlation, 0);
}

// Scores whose difference is the logarithm of the odds: sure of 3/4 and right in 3 of 4.
TEST(PreferenceReport, CalibratedScoresHaveNoError) {
  const double odds = std::log(3.0);
  const std::vector<double> scores = {odds, 0, odds, 0, odds, 0, 0, odds};
  const std::vector<int64_t> lengths(8, 1), sizes(4, 2);
  EXPECT_NEAR(preference_report(scores, lengths, sizes).calibration, 0, 1e-12);
  std::vector<double> sure = scores;
  for (double& s : sure) s *= 100;
  EXPECT_NEAR(preference_report(sure, lengths, sizes).calibration, 0.25, 1e-6);
}

TEST(PreferenceReport, LengthAlone) {
  const std::vector<double> scores = {2, 5, 7, 1};
  const std::vector<int64_t> lengths = {20, 50, 70, 10}, sizes = {2, 2};
  const PreferenceReport report = preference_report(scores, lengths, sizes);
  EXPECT_EQ(report.length_bias, 1);
  EXPECT_NEAR(report.length_correlation, 1, 1e-12);
  EXPECT_THROW(preference_report(scores, lengths, std::vector<int64_t>{2}), Error);
}

}  // namespace
}  // namespace heed::preference_report_test
