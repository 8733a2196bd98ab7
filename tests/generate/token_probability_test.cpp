#include "heed/generate/token_probability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed {
namespace {

std::vector<float> random_logits(int64_t count, uint64_t seed) {
  std::vector<float> x;
  const RandomKey key = random_key({.seed = seed});
  for (int64_t i = 0; i < count; ++i) {
    x.push_back(static_cast<float>(3 * random_normal(key, static_cast<uint32_t>(i))));
  }
  return x;
}

TEST(TokenProbability, IsTheLogarithmOfTheSoftmax) {
  for (const int64_t V : {1, 2, 7, 255, 256, 1000}) {
    const std::vector<float> x = random_logits(V, 1);
    double sum = 0;
    for (const float value : x) sum += std::exp(static_cast<double>(value));
    EXPECT_NEAR(log_sum_exp(x), std::log(sum), 1e-6);
    double total = 0;
    for (const TokenProbability& one : likeliest_tokens(x, log_sum_exp(x), V)) {
      total += std::exp(one.log_probability);
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(TokenProbability, BestAreSortedAndOfEqualsTheFirst) {
  for (const int64_t V : {3, 300, 2000}) {
    std::vector<float> x = random_logits(V, 2);
    for (float& value : x) value = std::round(value);  // many equals
    std::vector<int32_t> order(static_cast<size_t>(V));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return x[a] > x[b]; });
    for (const int64_t count : {1, 3, 17}) {
      const auto found = likeliest_tokens(x, 0, count);
      ASSERT_EQ(static_cast<int64_t>(found.size()), std::min(count, V));
      for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].token, order[i]);
    }
    const std::vector<int32_t> excluded = {order[0], order[2]};
    EXPECT_EQ(likeliest_tokens(x, 0, 1, excluded)[0].token, order[1]);
  }
}

TEST(TokenProbability, Edges) {
  const float low = -std::numeric_limits<float>::infinity();
  const std::vector<float> x = {low, 1, low};
  EXPECT_EQ(likeliest_tokens(x, log_sum_exp(x), 3).size(), 1u);
  EXPECT_TRUE(likeliest_tokens(x, 0, 0).empty());
  const std::vector<int32_t> all = {0, 1, 2};
  EXPECT_TRUE(likeliest_tokens(x, 0, 2, all).empty());
  EXPECT_THROW(log_sum_exp(std::vector<float>{1, std::nanf("")}), Error);
  EXPECT_THROW(log_sum_exp(std::vector<float>{1, -low}), Error);
  EXPECT_THROW(log_sum_exp({}), Error);
}

}  // namespace
}  // namespace heed
