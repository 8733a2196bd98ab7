#include "heed/metrics/classification.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

TEST(Classification, ByHand) {
  const Ids expected{0, 0, 0, 1, 1, 2, 2, 2, 2, 0};
  const Ids predicted{0, 0, 1, 1, 0, 2, 2, 1, 2, 0};
  const Classification result = classification(predicted, expected, 4, {.confusion = true});
  EXPECT_EQ(result.confusion, (std::vector<int64_t>{3, 1, 0, 0,  //
                                                    1, 1, 0, 0,  //
                                                    0, 1, 3, 0,  //
                                                    0, 0, 0, 0}));
  EXPECT_EQ(result.count(2, 1), 1);
  EXPECT_EQ(result.accuracy.correct, 7);
  EXPECT_EQ(result.accuracy.total, 10);
  EXPECT_DOUBLE_EQ(result.of[0].precision, 3.0 / 4);
  EXPECT_DOUBLE_EQ(result.of[0].recall, 3.0 / 4);
  EXPECT_DOUBLE_EQ(result.of[1].precision, 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.of[1].recall, 1.0 / 2);
  EXPECT_DOUBLE_EQ(result.of[1].f1, 2.0 / 5);
  EXPECT_DOUBLE_EQ(result.of[2].f1, 6.0 / 7);
  EXPECT_EQ(result.of[3].f1, 0);
  EXPECT_DOUBLE_EQ(result.macro.f1, (3.0 / 4 + 2.0 / 5 + 6.0 / 7) / 3);  // class 3 does not occur
  EXPECT_DOUBLE_EQ(result.micro.f1, 0.7);
  // Without the table the numbers are the same.
  const Classification scores = classification(predicted, expected, 4);
  EXPECT_TRUE(scores.confusion.empty());
  EXPECT_THROW(scores.count(2, 1), Error);
  EXPECT_EQ(scores.accuracy.correct, 7);
  for (size_t c = 0; c < 4; ++c) EXPECT_EQ(scores.of[c].f1, result.of[c].f1) << c;
  EXPECT_EQ(scores.macro.f1, result.macro.f1);
  EXPECT_EQ(scores.micro.f1, result.micro.f1);
}

// The table of them would take 80 GB.
TEST(Classification, ManyClasses) {
  const Classification result = classification(Ids{99999, 0, 7}, Ids{99999, 5, 7}, 100000);
  EXPECT_TRUE(result.confusion.empty());
  EXPECT_EQ(result.accuracy.correct, 2);
  EXPECT_EQ(result.of[99999].f1, 1);
  EXPECT_DOUBLE_EQ(result.macro.f1, 2.0 / 4);
}

TEST(Classification, WhatDoesNotFit) {
  EXPECT_THROW(classification(Ids{0}, Ids{}, 2), Error);
  EXPECT_THROW(classification(Ids{2}, Ids{0}, 2), Error);
  EXPECT_THROW(classification(Ids{0}, Ids{-1}, 2), Error);
  EXPECT_THROW(classification(Ids{}, Ids{}, 0), Error);
  EXPECT_THROW(classification(Ids{}, Ids{}, 2, {.confusion = true}).count(0, 2), Error);
  EXPECT_EQ(classification(Ids{}, Ids{}, 2).macro.f1, 0);
}

}  // namespace
}  // namespace heed
