#include "heed/metrics/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "tests/metrics/goldens.h"

namespace heed {
namespace {

// Numbers with mean 0 and variance 1, and the mean of those chosen.
std::vector<double> normals(size_t count, uint64_t seed) {
  std::vector<double> values(count);
  const RandomKey key = random_key({.seed = seed});
  for (size_t i = 0; i < count; ++i) values[i] = random_normal(key, static_cast<uint32_t>(i));
  return values;
}

SentencesScore mean_of(const std::vector<double>& values) {
  return [&values](std::span<const int64_t> chosen) {
    double sum = 0;
    for (const int64_t i : chosen) sum += values[i];
    return sum / static_cast<double>(chosen.size());
  };
}

// For a mean the interval is known: mean +- 1.96 s / sqrt(n).
TEST(Bootstrap, IntervalOfAMean) {
  const std::vector<double> values = normals(400, 7);
  double sum = 0, squares = 0;
  for (const double v : values) sum += v, squares += v * v;
  const double mean = sum / 400;
  const double error = std::sqrt((squares / 400 - mean * mean) / 400);
  const Interval interval = bootstrap_interval(400, mean_of(values), {.resamples = 4000});
  EXPECT_NEAR(interval.low, mean - 1.96 * error, 0.15 * error);
  EXPECT_NEAR(interval.high, mean + 1.96 * error, 0.15 * error);
}

TEST(Bootstrap, SameForAnyThreads) {
  const std::vector<double> values = normals(500, 1);
  Interval first;
  for (const int count : {1, 2, 3, 8, 16}) {
    const ThreadScope scope(count);
    const Interval interval = bootstrap_interval(500, mean_of(values));
    if (count == 1) first = interval;
    EXPECT_EQ(interval.low, first.low);
    EXPECT_EQ(interval.high, first.high);
  }
  EXPECT_NE(bootstrap_interval(500, mean_of(values), {.seed = 1}).low, first.low);
}

TEST(Bootstrap, Pairs) {
  const std::vector<double> a = normals(300, 1);
  std::vector<double> better = a;
  std::vector<double> other = normals(300, 2);
  for (size_t i = 0; i < a.size(); ++i) better[i] += 0.2 + 0.5 * other[i];
  for (size_t i = 0; i < a.size(); ++i) other[i] = a[i] + 0.5 * normals(300, 3)[i];

  const PairedBootstrap clear = paired_bootstrap(300, mean_of(better), mean_of(a));
  EXPECT_LT(clear.p, 0.01);
  EXPECT_GT(clear.interval.low, 0);
  EXPECT_NEAR(clear.difference, 0.2, 0.1);
  EXPECT_GT(paired_bootstrap(300, mean_of(other), mean_of(a)).p, 0.05);
  const PairedBootstrap same = paired_bootstrap(300, mean_of(a), mean_of(a));
  EXPECT_EQ(same.p, 1);
  EXPECT_EQ(same.interval.high, 0);
}

TEST(Bootstrap, BleuLiesInItsInterval) {
  const GoldenCorpus corpus = golden_corpus();
  std::vector<BleuCounts> counts;
  for (size_t i = 0; i < corpus.hypotheses.size(); ++i) {
    counts.push_back(bleu_counts(corpus.hypotheses[i], corpus.references[1][i]));
  }
  const double score = corpus_bleu(corpus.hypotheses, corpus.first).score;
  const Interval interval = bleu_interval(counts);
  EXPECT_LT(interval.low, score);
  EXPECT_GT(interval.high, score);
  EXPECT_LT(interval.high - interval.low, 20);

  const std::vector<BleuCounts> one(5, counts.back());  // every resample is the same corpus
  EXPECT_EQ(bleu_interval(one).low, bleu_interval(one).high);
}

TEST(Bootstrap, WhatDoesNotFit) {
  const SentencesScore zero = [](std::span<const int64_t>) { return 0.0; };
  EXPECT_THROW(bootstrap_interval(0, zero), Error);
  EXPECT_THROW(bootstrap_interval(3, zero, {.resamples = 39}), Error);
}

}  // namespace
}  // namespace heed
