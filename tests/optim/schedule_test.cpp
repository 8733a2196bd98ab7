#include "heed/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(Schedule, WarmsUpTheSameWayForAll) {
  for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::linear,
                                  ScheduleKind::cosine, ScheduleKind::inverse_sqrt}) {
    const Schedule schedule{kind, 0.5, 10, 100, 0.1};
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 0), 0.05);
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 4), 0.25);
    EXPECT_EQ(learning_rate(schedule, 9), 0.5);
    for (int64_t step = 0; step < 9; ++step) {
      EXPECT_LT(learning_rate(schedule, step), learning_rate(schedule, step + 1));
    }
    for (int64_t step = 10; step < 120; ++step) {
      EXPECT_LE(learning_rate(schedule, step), learning_rate(schedule, step - 1)) << step;
    }
  }
}

TEST(Schedule, Constant) {
  EXPECT_EQ(learning_rate({.peak = 0.5}, 0), 0.5);
  EXPECT_EQ(learning_rate({.peak = 0.5, .warmup = 3}, 1000000), 0.5);
}

TEST(Schedule, Linear) {
  const Schedule schedule{ScheduleKind::linear, 1, 10, 110, 0.2};
  EXPECT_EQ(learning_rate(schedule, 10), 1);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 60), 0.6);
  EXPECT_NEAR(learning_rate(schedule, 109), 0.208, 1e-12);
  EXPECT_EQ(learning_rate(schedule, 110), 0.2);
  EXPECT_EQ(learning_rate(schedule, 5000), 0.2);
}

TEST(Schedule, Cosine) {
  const Schedule schedule{ScheduleKind::cosine, 1, 10, 110, 0.2};
  EXPECT_EQ(learning_rate(schedule, 10), 1);
  EXPECT_NEAR(learning_rate(schedule, 35), 0.2 + 0.4 * (1 + std::sqrt(0.5)), 1e-12);
  EXPECT_NEAR(learning_rate(schedule, 60), 0.6, 1e-12);
  EXPECT_EQ(learning_rate(schedule, 110), 0.2);
}

// d^-0.5 min(t^-0.5, t w^-1.5) with its peak, d^-0.5 w^-0.5, given.
TEST(Schedule, InverseSqrtIsVaswanis) {
  const double d = 512, w = 4000;
  const Schedule schedule{ScheduleKind::inverse_sqrt, 1 / std::sqrt(d * w), 4000};
  for (const int64_t step : {0, 100, 3998, 3999, 4000, 50000}) {
    const auto t = static_cast<double>(step + 1);
    const double expected = std::min(1 / std::sqrt(t), t * std::pow(w, -1.5)) / std::sqrt(d);
    EXPECT_NEAR(learning_rate(schedule, step), expected, 1e-12 * expected) << step;
  }
  EXPECT_EQ(learning_rate({ScheduleKind::inverse_sqrt, 1, 0}, 0), 1);
  EXPECT_DOUBLE_EQ(learning_rate({ScheduleKind::inverse_sqrt, 1, 0}, 3), 0.5);
  EXPECT_EQ(learning_rate({ScheduleKind::inverse_sqrt, 1, 0, 0, 0.3}, 100000), 0.3);
}

TEST(Schedule, OneStepLearns) {
  EXPECT_EQ(learning_rate({ScheduleKind::cosine, 1, 0, 1}, 0), 1);
  EXPECT_EQ(learning_rate({ScheduleKind::linear, 1, 0, 1}, 0), 1);
}

TEST(Schedule, AWarmUpLongerThanTheRun) {
  const Schedule schedule{ScheduleKind::cosine, 1, 10, 5};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 4), 0.5);
  EXPECT_EQ(learning_rate(schedule, 10), 0);
}

TEST(Schedule, Mistakes) {
  EXPECT_THROW(learning_rate({}, -1), Error);
  EXPECT_THROW(learning_rate({.peak = -1}, 0), Error);
  EXPECT_THROW(learning_rate({.peak = NAN}, 0), Error);
  EXPECT_THROW(learning_rate({.peak = 1, .floor = 2}, 0), Error);
  EXPECT_THROW(learning_rate({.warmup = -1}, 0), Error);
  EXPECT_THROW(learning_rate({.kind = ScheduleKind::cosine}, 0), Error);
  EXPECT_THROW(learning_rate({.kind = ScheduleKind::linear}, 0), Error);
}

}  // namespace
}  // namespace heed
