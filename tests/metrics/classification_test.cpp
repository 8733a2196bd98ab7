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
  const Classification result = classification(predicted, expected, 4);
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
}

TEST(Classification, WhatDoesNotFit) {
  EXPECT_THROW(classification(Ids{0}, Ids{}, 2), Error);
  EXPECT_THROW(classification(Ids{2}, Ids{0}, 2), Error);
  EXPECT_THROW(classification(Ids{0}, Ids{-1}, 2), Error);
  EXPECT_THROW(classification(Ids{}, Ids{}, 0), Error);
  EXPECT_THROW(classification(Ids{}, Ids{}, 2).count(0, 2), Error);
  EXPECT_EQ(classification(Ids{}, Ids{}, 2).macro.f1, 0);
}

}  // namespace
}  // namespace heed
