#include "heed/generate/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

const std::vector<float> kLogits = {0.0f, 2.0f, -1.0f, 1.0f, 0.5f, -3.0f, 1.5f};

std::map<int32_t, double> counts(const SamplingOptions& options, int64_t draws,
                                 const std::vector<int32_t>& before = {},
                                 const std::vector<int32_t>& excluded = {}) {
  std::map<int32_t, double> result;
  for (int64_t i = 0; i < draws; ++i) {
    ++result[sample_token(
        kLogits, before, excluded, options,
        {.request = static_cast<uint64_t>(i % 7), .position = static_cast<uint64_t>(i / 7)})];
  }
  return result;
}

// sum over tokens of (observed - expected)^2 / expected, against weights that need not add up to 1.
double chi_square(const std::map<int32_t, double>& observed,
                  const std::map<int32_t, double>& weights, double draws) {
  double total = 0, result = 0;
  for (const auto& [token, weight] : weights) total += weight;
  for (const auto& [token, count] : observed) EXPECT_TRUE(weights.contains(token)) << token;
  for (const auto& [token, weight] : weights) {
    const double expected = draws * weight / total;
    const auto found = observed.find(token);
    const double difference = (found == observed.end() ? 0 : found->second) - expected;
    result += difference * difference / expected;
  }
  return result;
}

std::map<int32_t, double> softmax_of(double temperature, const std::vector<int32_t>& tokens) {
  std::map<int32_t, double> weights;
  for (const int32_t token : tokens) {
    weights[token] = std::exp(static_cast<double>(kLogits[token]) / temperature);
  }
  return weights;
}

// The 0.9999 quantiles of the chi-square distribution with 1 to 6 degrees of freedom.
constexpr double kQuantile[] = {0, 15.14, 18.42, 21.11, 23.51, 25.74, 27.86};

// Without cuts a token is found by groups; a cut that leaves all tokens takes the other way.
TEST(Sampler, ALargeVocabularyIsDrawnTheSameWithAndWithoutCuts) {
  constexpr int32_t kSize = 1003;
  std::vector<float> logits(kSize);
  for (int32_t v = 0; v < kSize; ++v) {
    logits[v] = 3 * std::sin(0.37f * static_cast<float>(v));
  }
  std::vector<int32_t> excluded;
  for (int32_t v = 900; v < kSize; ++v) excluded.push_back(v);
  for (int32_t v = 64; v < 128; ++v) excluded.push_back(v);
  int32_t min = kSize, max = 0;
  for (uint64_t i = 0; i < 5000; ++i) {
    SamplingOptions options{.temperature = i % 2 == 0 ? 1.0 : 0.7, .seed = 9};
    const int32_t token = sample_token(logits, {}, excluded, options, {.position = i});
    options.top_k = kSize;
    EXPECT_EQ(token, sample_token(logits, {}, excluded, options, {.position = i}));
    EXPECT_TRUE(token >= 0 && token < 900 && (token < 64 || token >= 128)) << token;
    min = std::min(min, token);
    max = std::max(max, token);
  }
  EXPECT_LT(min, 20);
  EXPECT_GT(max, 880);
}

TEST(Sampler, DrawsFollowTheDistribution) {
  constexpr int64_t kDraws = 70000;
  const std::vector<int32_t> all = {0, 1, 2, 3, 4, 5, 6};
  struct Case {
    SamplingOptions options;
    std::vector<int32_t> tokens;
  };
  // In order of likelihood: 1 6 3 4 0 2 5; softmax .402 .244 .148 .090 .054 .020 .003 at T = 1.
  const std::vector<Case> cases = {
      {{.temperature = 1}, all},
      {{.temperature = 0.5}, all},
      {{.temperature = 2, .seed = 5}, all},
      {{.temperature = 1, .top_k = 3}, {1, 6, 3}},
      {{.temperature = 1, .top_k = 100}, all},
      {{.temperature = 1, .top_p = 0.7}, {1, 6, 3}},
      {{.temperature = 1, .top_p = 0.5, .seed = 2}, {1, 6}},
      {{.temperature = 1, .min_p = 0.2}, {1, 6, 3, 4}},
      {{.temperature = 1, .top_k = 4, .top_p = 0.95, .min_p = 0.3}, {1, 6, 3}},
  };
  for (const Case& one : cases) {
    const double found = chi_square(counts(one.options, kDraws),
                                    softmax_of(one.options.temperature, one.tokens), kDraws);
    EXPECT_LT(found, kQuantile[one.tokens.size() - 1]) << one.options.temperature;
  }
}

TEST(Sampler, CutsLeaveTheLikeliest) {
  const auto only = [](const SamplingOptions& options) { return counts(options, 300); };
  EXPECT_EQ(only({.temperature = 1, .top_k = 1}).size(), 1u);
  EXPECT_EQ(only({.temperature = 1, .top_p = 1e-9}).begin()->first, 1);
  EXPECT_EQ(only({.temperature = 1, .min_p = 1}).begin()->first, 1);
  EXPECT_EQ(only({.temperature = 1e-300}).begin()->first, 1);
  EXPECT_EQ(only({}).begin()->first, 1);
  EXPECT_EQ(only({}).size(), 1u);
}

TEST(Sampler, Penalties) {
  const std::vector<int32_t> before = {1, 1, 6};
  // 2 / 4 = 0.5 and 1.5 / 4: token 3 with 1 is the likeliest.
  EXPECT_EQ(counts({.repetition_penalty = 4}, 1, before).begin()->first, 3);
  // 2 - 0.6 twice = 0.8, 1.5 - 0.6 = 0.9: token 3 again; less than that: token 6.
  EXPECT_EQ(counts({.frequency_penalty = 0.6}, 1, before).begin()->first, 3);
  EXPECT_EQ(counts({.frequency_penalty = 0.4}, 1, before).begin()->first, 1);
  EXPECT_EQ(counts({.frequency_penalty = 0.45}, 1, before).begin()->first, 1);
  EXPECT_EQ(counts({.frequency_penalty = 0.45}, 1, {1, 1}).begin()->first, 6);
  // A negative logit becomes more so.
  SamplingOptions options{.temperature = 1, .repetition_penalty = 1000};
  EXPECT_FALSE(counts(options, 2000, {5, 2}).contains(2));
}

TEST(Sampler, ExcludedTokensAreNotDrawn) {
  const std::vector<int32_t> excluded = {1, 6};
  EXPECT_EQ(counts({}, 1, {}, excluded).begin()->first, 3);
  const auto found = counts({.temperature = 1}, 2000, {}, excluded);
  EXPECT_FALSE(found.contains(1));
  EXPECT_FALSE(found.contains(6));
  EXPECT_EQ(counts({.temperature = 1}, 1, {}, {0, 1, 2, 3, 4, 5, 6}).begin()->first, -1);
}

TEST(Sampler, ADrawIsAFunctionOfItsSite) {
  const SamplingOptions options{.temperature = 1, .seed = 9};
  const auto draw = [&](uint64_t request, uint64_t position, uint64_t seed) {
    SamplingOptions other = options;
    other.seed = seed;
    return sample_token(kLogits, {}, {}, other, {.request = request, .position = position});
  };
  int64_t different = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(draw(3, i, 9), draw(3, i, 9));
    different += draw(3, i, 9) != draw(4, i, 9) ? 1 : 0;
    different += draw(3, i, 9) != draw(3, i, 10) ? 1 : 0;
  }
  EXPECT_GT(different, 30);
}

TEST(Sampler, Mistakes) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const SamplingOptions& wrong :
       {SamplingOptions{.temperature = -1}, SamplingOptions{.temperature = infinity},
        SamplingOptions{.top_k = -1}, SamplingOptions{.top_p = 0}, SamplingOptions{.top_p = 1.1},
        SamplingOptions{.min_p = -0.1}, SamplingOptions{.repetition_penalty = 0},
        SamplingOptions{.frequency_penalty = std::nan("")}}) {
    EXPECT_THROW(validate(wrong), Error);
  }
  validate(SamplingOptions{});
}

}  // namespace
}  // namespace heed
