#include "heed/tuning/answer_report.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(AnswerReport, HowLongAnswersMayBecome) {
  EXPECT_DOUBLE_EQ(longest_allowed(10, 3, 64), 30);
  EXPECT_DOUBLE_EQ(longest_allowed(1, 3, 64), 5);      // four more at least
  EXPECT_DOUBLE_EQ(longest_allowed(10, 3, 24), 22.6);  // they are cut at 24 and never reach 30
  EXPECT_DOUBLE_EQ(longest_allowed(24, 3, 24), 24);    // as long as can be from the beginning
}

TEST(AnswerReport, SaysWhyToStop) {
  AnswerMeter meter;
  meter.max_tokens = 24;
  meter.max_kl = 5;
  meter.max_length = 12;
  AnswerReport report;
  report.kl = 5;
  report.length = 12;
  Evaluation fine;
  add_answers(meter, report, fine);
  EXPECT_EQ(fine.stop, "");
  report.length = 12.5;
  Evaluation longer;
  add_answers(meter, report, longer);
  EXPECT_EQ(
      longer.stop,
      "the length ran away: 12.5 tokens per answer, 12.0 are allowed (--max-growth, and below "
      "--answer-tokens 24); the reward model may prefer long answers");
  report.kl = 5.1;
  Evaluation further;
  add_answers(meter, report, further);
  EXPECT_TRUE(further.stop.starts_with("the KL to the starting model ran away: 5.1 nats"));
}

}  // namespace
}  // namespace heed
