// heed demo: costs that are measured; which is faster is up to the machine.
#include <gtest/gtest.h>

#include "tests/cli/demo_run.h"

namespace heed::demo_times_test {
namespace {

// R63: three layers are timed with one thread and with more; which is faster is up to the machine.
TEST(CliDemo, ParallelTimesThreeLayers) {
  const auto numbers = demo("parallel", {"--lengths", "8,16", "--d", "16", "--threads", "2"});
  EXPECT_EQ(numbers["threads"], 2);
  for (const char* table : {"one_thread_ms", "threads_ms", "speedup"}) {
    ASSERT_EQ(numbers[table].size(), 2u) << table;
    for (const auto& row : numbers[table]) {
      ASSERT_EQ(row.size(), 3u);
      for (const auto& time : row) EXPECT_GT(time.get<double>(), 0) << table;
    }
  }
  EXPECT_EQ(run_heed({"demo", "parallel", "--lengths", "0"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "parallel", "--lengths", "1000000000"}).code, 1);
}

// R30: the counts are those of score_costs; the times are there and fit their ratio.
TEST(CliDemo, AdditiveAttentionIsCountedAndTimed) {
  const auto numbers = demo("additive-score", {"--length", "16"});
  const double pairs = 16 * 16, h = 64, d = 64;
  expect_near(numbers["costs"][0], {2 * 16 * h * d + pairs * h, pairs * h}, 0);     // additive
  expect_near(numbers["costs"][1], {pairs * h * 2 * d + pairs * h, pairs * h}, 0);  // an MLP
  expect_near(numbers["costs"][2], {pairs * d, 0}, 0);                              // scaled dot
  const double additive = numbers["additive_ms"], dot = numbers["scaled_dot_ms"];
  EXPECT_GT(dot, 0);
  EXPECT_NEAR(numbers["ratio"].get<double>(), additive / dot, 1e-9 * additive / dot);
}

}  // namespace
}  // namespace heed::demo_times_test
