#include "heed/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace heed {
namespace {

TEST(Random, IsAFunction) {
  constexpr RandomSite site{.seed = 1, .step = 2, .site = 3, .sequence = 4, .position = 5};
  static_assert(random_bits(random_key(site), 6) == random_bits(random_key(site), 6));
  EXPECT_EQ(random_uniform(random_key(site), 6), random_uniform(random_key(site), 6));
}

// Bits that checkpoints and resumed runs rely on: a change here changes every training run.
TEST(Random, KnownValues) {
  const RandomKey key = random_key({.seed = 1, .step = 2, .site = 3, .sequence = 4, .position = 5});
  const uint32_t first = random_bits(key, 0), second = random_bits(key, 1);
  EXPECT_EQ(first, 0x2f0c803du);
  EXPECT_EQ(second, 0x79afedabu);
}

TEST(Random, UniformMeanAndVariance) {
  const int rows = 400, columns = 1000;
  double sum = 0, squares = 0;
  for (int n = 0; n < rows; ++n) {
    const RandomKey key = random_key({.seed = 7, .position = static_cast<uint64_t>(n)});
    for (uint32_t c = 0; c < columns; ++c) {
      const double u = random_uniform(key, c);
      ASSERT_GE(u, 0);
      ASSERT_LT(u, 1);
      sum += u;
      squares += u * u;
    }
  }
  const double mean = sum / (rows * columns);
  EXPECT_NEAR(mean, 0.5, 0.002);
  EXPECT_NEAR(squares / (rows * columns) - mean * mean, 1.0 / 12, 0.001);
}

// Neighbouring rows, columns, steps and sites must not go together.
TEST(Random, NoCorrelation) {
  const auto correlation = [](RandomSite a, RandomSite b, uint32_t shift) {
    double sum = 0;
    const int n = 100000;
    for (uint32_t c = 0; c < n; ++c) {
      a.position = b.position = c / 100;
      sum += (random_uniform(random_key(a), c % 100) - 0.5) *
             (random_uniform(random_key(b), c % 100 + shift) - 0.5);
    }
    return 12 * sum / n;
  };
  const RandomSite base{.seed = 3, .step = 10, .site = 2, .sequence = 1, .position = 0};
  const double bound = 5 / std::sqrt(100000.0);
  EXPECT_LT(std::abs(correlation(base, base, 1)), bound);
  EXPECT_LT(std::abs(correlation(base, {.seed = 4, .step = 10, .site = 2, .sequence = 1}, 0)),
            bound);
  EXPECT_LT(std::abs(correlation(base, {.seed = 3, .step = 11, .site = 2, .sequence = 1}, 0)),
            bound);
  EXPECT_LT(std::abs(correlation(base, {.seed = 3, .step = 10, .site = 3, .sequence = 1}, 0)),
            bound);
  EXPECT_LT(std::abs(correlation(base, {.seed = 3, .step = 10, .site = 2, .sequence = 2}, 0)),
            bound);
}

TEST(Random, EveryBitIsFair) {
  const int n = 100000;
  std::vector<int> ones(32);
  for (int i = 0; i < n; ++i) {
    const RandomKey key = random_key({.seed = 9, .position = static_cast<uint64_t>(i / 64)});
    const uint32_t bits = random_bits(key, static_cast<uint32_t>(i % 64));
    for (uint32_t b = 0; b < 32; ++b) ones[b] += (bits >> b) & 1;
  }
  for (int count : ones) EXPECT_NEAR(count, n / 2, 5 * std::sqrt(n) / 2);
}

// Keys of many sites: with 64 bits, 200,000 of them do not collide.
TEST(Random, KeysDoNotCollide) {
  std::vector<uint64_t> keys;
  for (uint64_t step = 0; step < 20; ++step) {
    for (uint64_t site = 0; site < 10; ++site) {
      for (uint64_t position = 0; position < 1000; ++position) {
        const RandomKey key = random_key({.step = step, .site = site, .position = position});
        keys.push_back(static_cast<uint64_t>(key.high) << 32 | key.low);
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

// Values of one row over columns: as many collisions as chance gives, n^2 / 2^33.
TEST(Random, BitsCollideAsByChance) {
  std::vector<uint32_t> bits;
  for (uint64_t row = 0; row < 200; ++row) {
    const RandomKey key = random_key({.seed = 2, .position = row});
    for (uint32_t c = 0; c < 1000; ++c) bits.push_back(random_bits(key, c));
  }
  std::sort(bits.begin(), bits.end());
  int same = 0;
  for (size_t i = 1; i < bits.size(); ++i) same += bits[i] == bits[i - 1];
  EXPECT_LT(same, 20);  // expected 4.7
}

}  // namespace
}  // namespace heed
