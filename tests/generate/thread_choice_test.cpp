#include <gtest/gtest.h>

#include "heed/generate/thread_choice_internal.h"

namespace heed {
namespace {

struct Times {
  double one, all;  // seconds of a step
};

// The share of the time of some steps that went to those of all threads.
double share_of_all(ThreadChoice& choice, const Times& times, size_t rows = 1, int steps = 4000) {
  double total = 0, of_all = 0;
  for (int i = 0; i < steps; ++i) {
    const bool uses_all = choice.uses_all(rows);
    const double seconds = uses_all ? times.all : times.one;
    choice.record(rows, seconds);
    total += seconds;
    if (uses_all) of_all += seconds;
  }
  return of_all / total;
}

TEST(ThreadChoice, TheFasterWayIsFound) {
  for (const size_t rows : {1, 16, 100, 100000}) {
    const auto share = [&](const Times& times) {
      ThreadChoice choice;
      share_of_all(choice, times, rows, 300);
      return share_of_all(choice, times, rows);
    };
    EXPECT_GT(share({2, 1}), 0.9) << rows;
    EXPECT_LT(share({1, 2}), 0.1) << rows;
  }
}

TEST(ThreadChoice, BadTrialsTakeLittleOfTheTime) {
  ThreadChoice choice;
  EXPECT_LT(share_of_all(choice, {1e-4, 1}, 1, 100000), 0.1);
  EXPECT_LT(share_of_all(choice, {1e-4, 1}, 1, 3000000), 0.03);
}

TEST(ThreadChoice, AnInterruptedStepDecidesNothing) {
  ThreadChoice choice;
  int count = 0;
  for (int i = 0; i < 2000; ++i) {
    const bool uses_all = choice.uses_all(1);
    if (uses_all) ++count;
    choice.record(1, (uses_all ? 1.0 : 1.5) * (i % 7 == 0 ? 20 : 1));
  }
  EXPECT_GT(count, 1700);
}

TEST(ThreadChoice, AChangeIsSeen) {
  ThreadChoice choice;
  EXPECT_GT(share_of_all(choice, {2, 1}), 0.9);
  share_of_all(choice, {2, 9}, 1, 1000);
  EXPECT_LT(share_of_all(choice, {2, 9}), 0.1);
}

TEST(ThreadChoice, EverySizeIsTriedByItself) {
  ThreadChoice choice;
  for (int i = 0; i < 200; ++i) {
    share_of_all(choice, {1, 2}, 1, 1);
    share_of_all(choice, {2, 1}, 16, 1);
  }
  EXPECT_LT(share_of_all(choice, {1, 2}, 1), 0.1);
  EXPECT_GT(share_of_all(choice, {2, 1}, 12), 0.9);  // with those up to 16
}

TEST(ThreadChoice, StepsOfOtherLengthsAreComparedByTheRow) {
  ThreadChoice choice;
  for (int i = 0; i < 400; ++i) {
    const size_t rows = i % 2 == 0 ? 70 : 120;
    const bool uses_all = choice.uses_all(rows);
    choice.record(rows, static_cast<double>(rows) * (uses_all ? 1 : 1.5));
  }
  EXPECT_TRUE(choice.uses_all(100));
}

}  // namespace
}  // namespace heed
