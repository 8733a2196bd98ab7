#include "heed/data/hold_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"

namespace heed::hold_out_test {
namespace {

TEST(HoldOut, SplitsEveryCount) {
  const std::pair<int64_t, size_t> cases[] = {{2, 1},  {3, 1},     {20, 1},       {40, 2},
                                              {99, 5}, {1000, 50}, {40000, 2000}, {100000, 2000}};
  for (const auto& [count, held] : cases) {
    const Split split = hold_out(count, {.seed = 4});
    EXPECT_EQ(split.held_out.size(), held) << count;
    std::vector<int64_t> both = split.train;
    both.insert(both.end(), split.held_out.begin(), split.held_out.end());
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
    EXPECT_TRUE(std::is_sorted(split.held_out.begin(), split.held_out.end()));
    std::sort(both.begin(), both.end());
    std::vector<int64_t> expected(static_cast<size_t>(count));
    std::iota(expected.begin(), expected.end(), int64_t{0});
    EXPECT_EQ(both, expected);
  }
}

TEST(HoldOut, DependsOnTheSeedAlone) {
  EXPECT_EQ(hold_out(500, {.seed = 1}).held_out, hold_out(500, {.seed = 1}).held_out);
  EXPECT_NE(hold_out(500, {.seed = 1}).held_out, hold_out(500, {.seed = 2}).held_out);
}

TEST(HoldOut, SaysWhatIsWrong) {
  EXPECT_THROW(hold_out(0), Error);
  EXPECT_THROW(hold_out(1), Error);
  EXPECT_THROW(hold_out(10, {.fraction = 0}), Error);
  EXPECT_THROW(hold_out(10, {.fraction = 1}), Error);
  EXPECT_THROW(hold_out(10, {.max_count = 0}), Error);
}

}  // namespace
}  // namespace heed::hold_out_test
