#include "bench/timing.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace heed::bench {
namespace {

TEST(Timing, BestAndMedian) {
  const Timing odd = summarize({3, 1, 2});
  EXPECT_EQ(odd.best_ms, 1);
  EXPECT_EQ(odd.median_ms, 2);
  EXPECT_EQ(odd.runs, 3);
  EXPECT_EQ(summarize({8, 1, 2, 4}).median_ms, 3);
  EXPECT_EQ(summarize({5}).median_ms, 5);
}

TEST(Timing, RunsAtLeastAsOftenAsAsked) {
  int calls = 0;
  const Timing timing = measure([&] { ++calls; }, {.warm_up = 2, .runs = 7, .seconds = 0});
  EXPECT_EQ(timing.runs, 7);
  EXPECT_EQ(calls, 9);
  EXPECT_LE(timing.best_ms, timing.median_ms);
}

TEST(Timing, RunsAtLeastAsLongAsAsked) {
  const Timing timing = measure([] {}, {.runs = 1, .seconds = 0.001});
  EXPECT_GT(timing.runs, 1);
}

TEST(Timing, TwoRunsOfSlowWorkAreEnough) {
  const Timing timing = measure([] {}, {.runs = 1000, .seconds = 1000, .max_seconds = 0});
  EXPECT_EQ(timing.runs, 2);
}

TEST(Timing, TasksTakeTurnsAndAreNewlyPrepared) {
  std::string order;
  const std::array<Task, 2> tasks{
      Task{.prepare = [&] { order += 'p'; }, .work = [&] { order += 'a'; }},
      Task{.work = [&] { order += 'b'; }}};
  const auto times = measure_alternating(tasks, {.warm_up = 1, .runs = 2, .seconds = 0});
  EXPECT_EQ(order, "pabpabpab");
  EXPECT_EQ(times.size(), 2);
}

}  // namespace
}  // namespace heed::bench
