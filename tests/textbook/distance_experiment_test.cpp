#include "heed/textbook/distance_experiment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"

namespace heed::distance_experiment_test {
namespace {

TEST(DistanceExperiment, ARowHasOneNounOfEachGroupAndTheVerbAtItsEnd) {
  for (int64_t i = 0; i < 500; ++i) {
    const int64_t distance = 1 + i % 15;
    const DistanceRow row = distance_row(3, 0, i, 16, distance);
    ASSERT_EQ(row.words.size(), 16u);
    const auto at = static_cast<size_t>(15 - distance);
    EXPECT_EQ(distance_word(row.words[at]), distance_noun(row.answer));
    std::vector<int64_t> groups;
    for (size_t w = 0; w < 16; ++w) {
      if (row.words[w] < 18) groups.push_back(row.words[w] / 6);
      EXPECT_EQ(row.words[w] >= 18 && row.words[w] < 21, w == 15) << w;  // verbs
    }
    EXPECT_EQ(row.words[15] - 18, row.answer / 6);  // the group of the verb
    std::sort(groups.begin(), groups.end());
    EXPECT_EQ(groups, (std::vector<int64_t>{0, 1, 2}));
  }
  EXPECT_EQ(distance_row(3, 0, 1, 16, 2).words, distance_row(3, 0, 1, 16, 2).words);
  EXPECT_NE(distance_row(3, 0, 1, 16, 2).words, distance_row(3, 1, 1, 16, 2).words);
  EXPECT_NE(distance_row(3, 0, 1, 16, 2).words, distance_row(4, 0, 1, 16, 2).words);
}

TEST(DistanceExperiment, TrainedDistancesLeaveOutEachFourthAndTheFarOnes) {
  std::vector<int64_t> trained;
  for (int64_t d = 0; d < 16; ++d) {
    if (is_trained_distance(d, 16)) trained.push_back(d);
  }
  EXPECT_EQ(trained, (std::vector<int64_t>{1, 2, 3, 5, 6, 7, 9, 10}));
}

// R47, R62: with as many parameters, only the model whose weights are a function of the words
// carries over to distances that it was not trained at.
TEST(DistanceExperiment, AttentionCarriesOverToOtherDistances) {
  const DistanceExperimentOptions options{.width = 8, .kernel = 5, .steps = 400, .tested = 50};
  const DistanceResult dense = distance_experiment(MixKind::dense, options);
  const DistanceResult attending = distance_experiment(MixKind::attention, options);
  const DistanceResult convolution =
      distance_experiment(MixKind::convolution, {.width = 8, .kernel = 5, .steps = 1, .tested = 1});
  for (const DistanceResult& other : {dense, convolution}) {
    const double ratio =
        static_cast<double>(other.parameters) / static_cast<double>(attending.parameters);
    EXPECT_NEAR(ratio, 1, 0.06);
    EXPECT_EQ(other.accuracy.size(), 15u);
  }
  const auto unseen = [](const DistanceResult& result) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < result.accuracy.size(); ++i) {
      if (is_trained_distance(static_cast<int64_t>(i) + 1, 16)) continue;
      sum += result.accuracy[i];
      ++count;
    }
    return sum / count;
  };
  EXPECT_GT(unseen(attending), 0.6);
  EXPECT_LT(unseen(dense), 0.4);
}

TEST(DistanceExperiment, Mistakes) {
  EXPECT_THROW(distance_row(1, 0, 0, 8, 8), Error);
  EXPECT_THROW(distance_row(1, 0, 0, 3, 1), Error);
  EXPECT_THROW(distance_experiment(MixKind::attention, {.width = 7}), Error);
  EXPECT_THROW(distance_experiment(MixKind::attention, {.steps = 0}), Error);
  EXPECT_THROW(distance_word(33), Error);
  EXPECT_THROW(distance_noun(18), Error);
}

}  // namespace
}  // namespace heed::distance_experiment_test
