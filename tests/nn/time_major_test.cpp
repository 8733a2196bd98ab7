#include "heed/nn/time_major.h"

#include <gtest/gtest.h>

#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Tensor numbers(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return Tensor::from(values, {count, 1});
}

std::vector<float> list(const Tensor& x) { return {x.data<float>(), x.data<float>() + x.size()}; }

TEST(TimeMajor, LongestFirst) {
  const Rows rows = Rows::from_lengths({1, 3, 0, 2});
  const TimeMajor time(rows);
  EXPECT_EQ(time.counts(), (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(time.order(), (std::vector<int64_t>{1, 3, 0, 2}));
  const Variable sorted = time.forth(numbers(6));
  EXPECT_EQ(list(sorted), (std::vector<float>{1, 4, 0, 2, 5, 3}));
  EXPECT_EQ(list(time.back(sorted)), list(numbers(6)));
  EXPECT_EQ(list(time.sorted(numbers(4))), (std::vector<float>{1, 3, 0, 2}));
  EXPECT_EQ(list(time.last(sorted, {})), (std::vector<float>{0, 3, 0, 5}));
  EXPECT_EQ(list(time.last(sorted, Tensor::full({4, 1}, 7))), (std::vector<float>{0, 3, 7, 5}));
}

TEST(TimeMajor, Reversed) {
  const Rows rows = Rows::from_lengths({1, 3, 2});
  const TimeMajor time(rows, TimeMajor::Direction::reversed);
  const Variable sorted = time.forth(numbers(6));
  EXPECT_EQ(list(sorted), (std::vector<float>{3, 5, 0, 2, 4, 1}));
  EXPECT_EQ(list(time.back(sorted)), list(numbers(6)));
  EXPECT_EQ(list(time.last(sorted, {})), (std::vector<float>{0, 1, 4}));
}

TEST(TimeMajor, Nothing) {
  const TimeMajor time(Rows::from_lengths({}));
  EXPECT_TRUE(time.counts().empty());
  EXPECT_EQ(time.forth(Tensor::zeros({0, 3})).shape(), Shape({0, 3}));
}

}  // namespace
}  // namespace heed
