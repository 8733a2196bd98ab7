#include "heed/data/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::batches_test {
namespace {

using Plan = std::vector<std::vector<int64_t>>;

std::vector<int64_t> some_lengths(size_t count, uint64_t longest) {
  std::vector<int64_t> lengths(count);
  for (size_t i = 0; i < count; ++i) lengths[i] = static_cast<int64_t>(1 + mix_bits(i) % longest);
  return lengths;
}

int64_t cost(const std::vector<int64_t>& batch, const std::vector<int64_t>& lengths) {
  int64_t sum = 0;
  for (const int64_t item : batch) sum += lengths[item];
  return sum;
}

void expect_each_once(const Plan& plan, size_t count) {
  std::vector<int64_t> all;
  for (const auto& batch : plan) {
    EXPECT_FALSE(batch.empty());
    all.insert(all.end(), batch.begin(), batch.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<int64_t> expected(count);
  std::iota(expected.begin(), expected.end(), int64_t{0});
  EXPECT_EQ(all, expected);
}

TEST(Batches, KeepsTheBudgetAndTakesEachItemOnce) {
  for (const size_t count : {0, 1, 2, 7, 100, 5000}) {
    const auto lengths = some_lengths(count, 50);
    for (const int64_t budget : {50, 64, 1000, 1000000}) {
      for (const int64_t sequences : {0, 1, 3}) {
        const Plan plan =
            plan_batches(lengths, {.budget = budget, .sequences = sequences, .seed = 3}, 2);
        expect_each_once(plan, count);
        for (const auto& batch : plan) {
          EXPECT_LE(cost(batch, lengths), budget);
          if (sequences > 0) {
            EXPECT_LE(batch.size(), static_cast<size_t>(sequences));
          }
        }
      }
    }
  }
}

TEST(Batches, BySequencesAllAreFullButOne) {
  const Plan plan = plan_batches(some_lengths(1003, 90), {.sequences = 16}, 0);
  EXPECT_EQ(plan.size(), 63u);
  EXPECT_EQ(std::count_if(plan.begin(), plan.end(), [](const auto& b) { return b.size() == 16; }),
            62);
}

TEST(Batches, TooLongItemsAreAlone) {
  const std::vector<int64_t> lengths{3, 500, 4, 900, 2};
  for (uint64_t epoch = 0; epoch < 5; ++epoch) {
    const Plan plan = plan_batches(lengths, {.budget = 10}, epoch);
    EXPECT_EQ(plan.size(), 3u);
    expect_each_once(plan, 5);
    for (const auto& batch : plan) {
      if (cost(batch, lengths) > 10) {
        EXPECT_EQ(batch.size(), 1u);
      }
    }
  }
}

TEST(Batches, LengthsInABatchAreAlikeAndBatchesNearlyFull) {
  const auto lengths = some_lengths(20000, 100);
  const Plan plan = plan_batches(lengths, {.budget = 2000, .seed = 1}, 0);
  int64_t spread = 0;
  for (const auto& batch : plan) {
    int64_t low = 1000, high = 0;
    for (const int64_t item : batch) {
      low = std::min(low, lengths[item]);
      high = std::max(high, lengths[item]);
    }
    spread += high - low;
  }
  EXPECT_LT(static_cast<double>(spread) / static_cast<double>(plan.size()), 6);
  const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  EXPECT_LT(static_cast<double>(plan.size()), 1.04 * static_cast<double>(total) / 2000);
}

TEST(Batches, AreAFunctionOfSeedAndEpoch) {
  const auto lengths = some_lengths(300, 20);
  const auto plan = [&](uint64_t seed, uint64_t epoch) {
    return plan_batches(lengths, {.budget = 100, .seed = seed}, epoch);
  };
  EXPECT_EQ(plan(1, 1), plan(1, 1));
  EXPECT_NE(plan(1, 1), plan(1, 2));
  EXPECT_NE(plan(1, 1), plan(2, 1));
  EXPECT_NE(plan(1, 2), plan(2, 1));
}

// A run that is resumed by another build must go on with the same batches.
TEST(Batches, StayAsTheyAre) {
  const Plan plan = plan_batches(some_lengths(9, 9), {.budget = 12, .seed = 7}, 3);
  EXPECT_EQ(plan, (Plan{{5}, {3, 7, 4}, {0}, {8, 2}, {6, 1}}));
}

TEST(Batches, WithoutShuffleTheOrderIsKept) {
  const std::vector<int64_t> lengths{5, 1, 9, 2, 2};
  EXPECT_EQ(plan_batches(lengths, {.budget = 10, .shuffle = false}), (Plan{{0, 1}, {2}, {3, 4}}));
  EXPECT_EQ(plan_batches(lengths, {.sequences = 2, .shuffle = false}), (Plan{{0, 1}, {2, 3}, {4}}));
}

TEST(Batches, EmptySequencesCostNothing) {
  const std::vector<int64_t> lengths(100, 0);
  expect_each_once(plan_batches(lengths, {.budget = 10}), 100);
}

TEST(Batches, SaysWhatIsWrong) {
  const std::vector<int64_t> lengths{1, -2};
  EXPECT_THROW(plan_batches({}, {}), Error);
  EXPECT_THROW(plan_batches({}, {.budget = -1}), Error);
  EXPECT_THROW(plan_batches({}, {.budget = 1, .pool_batches = 0}), Error);
  EXPECT_THROW(plan_batches(lengths, {.budget = 1}), Error);
}

}  // namespace
}  // namespace heed::batches_test
