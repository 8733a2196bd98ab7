#include "heed/train/time_plan.h"

#include <gtest/gtest.h>

namespace heed::time_plan_test {
namespace {

// What a plan takes, by the same speeds.
double seconds_of(const TimePlan& plan, const Speed& speed) {
  return static_cast<double>(plan.steps) * speed.step +
         static_cast<double>(plan.validations) * (speed.validation + speed.checkpoint);
}

int64_t validations_in(const TimePlan& plan) {
  return (plan.steps + plan.eval_every - 1) / plan.eval_every;
}

TEST(TimePlan, FillsTheTime) {
  const Speed speed{.step = 0.5, .validation = 2, .checkpoint = 1};
  const TimePlan plan = plan_time({.total = 120, .left = 110}, speed, 50, 0);
  EXPECT_EQ(plan.steps, 196);  // 98 s, and 4 x 3 s
  EXPECT_EQ(plan.validations, 4);
  EXPECT_EQ(plan.eval_every, 50);
}

TEST(TimePlan, CountsCheckpointsBetweenValidations) {
  const Speed speed{.step = 1, .validation = 1, .checkpoint = 1};
  EXPECT_EQ(plan_time({.total = 202, .left = 202}, speed, 1000, 0).steps, 200);
  EXPECT_EQ(plan_time({.total = 202, .left = 202}, speed, 1000, 4).steps, 160);
}

TEST(TimePlan, MakesValidationsRarer) {
  const Speed speed{.step = 0.1, .validation = 5};
  const TimePlan plan = plan_time({.total = 100, .left = 95}, speed, 10, 0);
  EXPECT_EQ(plan.validations, 4);  // 20 s
  EXPECT_EQ(plan.steps, 750);
  EXPECT_EQ(plan.eval_every, 188);
  const TimePlan one = plan_time({.total = 100, .left = 95}, {.step = 1, .validation = 60}, 10, 0);
  EXPECT_EQ(one.validations, 1);
  EXPECT_EQ(one.steps, 35);
}

TEST(TimePlan, HasAStepAtLeast) {
  for (const double left : {-5.0, 0.0, 0.5}) {
    const TimePlan plan =
        plan_time({.total = 3, .left = left}, {.step = 1, .validation = 9, .checkpoint = 1}, 50, 0);
    EXPECT_EQ(plan.steps, 1);
    EXPECT_EQ(plan.validations, 1);
    EXPECT_EQ(plan.eval_every, 50);
  }
}

TEST(TimePlan, SurvivesAClockThatStands) {
  const TimePlan plan = plan_time({.total = 60, .left = 60}, {}, 50, 0);
  EXPECT_GT(plan.steps, 1'000'000);
  EXPECT_LE(plan.steps, 1'000'000'000'000);
}

// Whatever the speeds are: not longer than the time, and within 5 % of it unless the parts are
// larger than that.
TEST(TimePlan, EndsInTime) {
  for (const double step : {0.01, 0.13, 0.9}) {
    for (const double validation : {0.001, 0.7, 5.0, 11.0}) {
      for (const int64_t every : {1, 7, 50, 333, 100'000}) {
        const Speed speed{.step = step, .validation = validation, .checkpoint = 0.1};
        const TimePlan plan = plan_time({.total = 100, .left = 97}, speed, every, 0);
        SCOPED_TRACE(testing::Message() << step << ' ' << validation << ' ' << every);
        EXPECT_LE(validations_in(plan), plan.validations);
        EXPECT_GE(plan.eval_every, every);
        EXPECT_LE(seconds_of(plan, speed), 97 + 1e-3);
        EXPECT_GE(seconds_of(plan, speed), 97 - 5);
      }
    }
  }
}

}  // namespace
}  // namespace heed::time_plan_test
