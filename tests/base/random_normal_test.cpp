#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/random.h"

namespace heed {
namespace {

TEST(RandomNormal, HasTheMomentsOfANormal) {
  constexpr uint32_t kCount = 200000;
  const RandomKey key = random_key({.seed = 7});
  double moments[5] = {};
  double beyond_two = 0;
  double neighbors = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    const double x = random_normal(key, i);
    ASSERT_TRUE(std::isfinite(x));
    for (int power = 1; power <= 4; ++power) moments[power] += std::pow(x, power) / kCount;
    beyond_two += (std::abs(x) > 2) / static_cast<double>(kCount);
    neighbors += x * random_normal(key, i + 1) / kCount;
  }
  // Four to five standard errors each.
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.015);
  EXPECT_NEAR(moments[3], 0, 0.04);
  EXPECT_NEAR(moments[4], 3, 0.1);
  EXPECT_NEAR(beyond_two, 0.0455, 0.002);
  EXPECT_NEAR(neighbors, 0, 0.01);
}

TEST(RandomNormal, IsAFunctionOfItsSite) {
  EXPECT_EQ(random_normal(random_key({.seed = 1}), 3), random_normal(random_key({.seed = 1}), 3));
  EXPECT_NE(random_normal(random_key({.seed = 1}), 3), random_normal(random_key({.seed = 2}), 3));
}

}  // namespace
}  // namespace heed
