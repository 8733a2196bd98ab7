#include "heed/metrics/proportion.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed {
namespace {

// Solutions p of |k/n - p| = z sqrt(p (1 - p) / n), which is what the interval is defined by.
TEST(Proportion, WilsonInterval) {
  const Proportion share{81, 263};  // Newcombe 1998, table I: 0.2553 to 0.3662
  EXPECT_DOUBLE_EQ(share.value(), 81.0 / 263);
  EXPECT_NEAR(share.interval().low, 0.2553, 5e-5);
  EXPECT_NEAR(share.interval().high, 0.3662, 5e-5);
  const Interval none = Proportion{0, 20}.interval();  // 0.0000 to 0.1611
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.1611, 5e-5);
  const Interval one = Proportion{1, 29}.interval();  // 0.0061 to 0.1718
  EXPECT_NEAR(one.low, 0.0061, 5e-5);
  EXPECT_NEAR(one.high, 0.1718, 5e-5);
  EXPECT_EQ((Proportion{5, 5}.interval().high), 1);
}

TEST(Proportion, NothingAndNonsense) {
  EXPECT_EQ(Proportion{}.value(), 0);
  EXPECT_EQ(Proportion{}.interval().high, 1);
  EXPECT_THROW((Proportion{3, 2}.interval()), Error);
}

}  // namespace
}  // namespace heed
