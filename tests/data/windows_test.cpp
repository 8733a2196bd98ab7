#include "heed/data/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "heed/base/error.h"

namespace heed::windows_test {
namespace {

std::vector<Window> all(const WindowPlan& plan) {
  std::vector<Window> windows;
  for (int64_t i = 0; i < plan.count(); ++i) windows.push_back(plan[i]);
  return windows;
}

// Every token but the first is predicted once.
void expect_whole(std::vector<Window> windows, int64_t total, int64_t context) {
  std::sort(windows.begin(), windows.end(), [](auto a, auto b) { return a.begin < b.begin; });
  int64_t at = 0;
  for (const Window& window : windows) {
    EXPECT_EQ(window.begin, at);
    EXPECT_GT(window.length(), 0);
    EXPECT_LE(window.length(), context);
    at = window.end;
  }
  EXPECT_EQ(at, std::max<int64_t>(total - 1, 0));
}

TEST(Windows, CoverTheStreamOnce) {
  for (const int64_t total : {0, 1, 2, 3, 5, 16, 17, 18, 1000, 12345}) {
    for (const int64_t context : {1, 2, 16, 64, 100000}) {
      expect_whole(all(consecutive_windows(total, context)), total, context);
      for (uint64_t epoch = 0; epoch < 4; ++epoch) {
        expect_whole(all(plan_windows(total, context, 5, epoch)), total, context);
      }
    }
  }
}

TEST(Windows, ConsecutiveOnesComeInOrder) {
  EXPECT_EQ(all(consecutive_windows(8, 3)), (std::vector<Window>{{0, 3}, {3, 6}, {6, 7}}));
  EXPECT_EQ(all(consecutive_windows(7, 3)), (std::vector<Window>{{0, 3}, {3, 6}}));
}

TEST(Windows, OrderAndPhaseDependOnSeedAndEpoch) {
  const auto plan = [](uint64_t seed, uint64_t epoch) {
    return all(plan_windows(10000, 64, seed, epoch));
  };
  EXPECT_EQ(plan(1, 2), plan(1, 2));
  EXPECT_NE(plan(1, 2), plan(1, 3));
  EXPECT_NE(plan(1, 2), plan(2, 2));
  std::set<int64_t> phases;
  for (uint64_t epoch = 0; epoch < 50; ++epoch) {
    for (const Window& window : plan(1, epoch)) {
      if (window.begin == 0) phases.insert(window.end);
    }
  }
  EXPECT_GT(phases.size(), 25u);
}

// Neighbors in the stream are not neighbors in the plan more often than by chance.
TEST(Windows, AreWellMixed) {
  const WindowPlan plan = plan_windows(64 * 4096 + 1, 64, 9, 0);
  int neighbors = 0;
  double drift = 0;
  for (int64_t i = 1; i < plan.count(); ++i) {
    if (plan[i].begin == plan[i - 1].end) ++neighbors;
    drift += i < plan.count() / 2 ? static_cast<double>(plan[i].begin) : 0;
  }
  EXPECT_LE(neighbors, 6);
  const double mean = drift / (static_cast<double>(plan.count()) / 2);
  EXPECT_NEAR(mean, 64 * 2048, 64 * 2048 * 0.06);
}

TEST(Windows, SayWhatIsWrong) {
  EXPECT_THROW(consecutive_windows(10, 0), Error);
  EXPECT_THROW(consecutive_windows(-1, 5), Error);
  EXPECT_THROW(plan_windows(10, -3, 0, 0), Error);
  EXPECT_THROW(consecutive_windows(10, 3)[3], Error);
  EXPECT_THROW(consecutive_windows(10, 3)[-1], Error);
}

}  // namespace
}  // namespace heed::windows_test
