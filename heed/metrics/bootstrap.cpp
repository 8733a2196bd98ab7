#include "heed/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"

namespace heed {
namespace {

std::vector<double> resampled(int64_t sentences, const SentencesScore& score,
                              const BootstrapOptions& options) {
  check(sentences > 0 && sentences <= UINT32_MAX,
        "bootstrap: the number of sentences must be 1 to 2^32 - 1, got {}", sentences);
  check(options.resamples >= 40,
        "bootstrap: an interval of 95 % needs 40 resamples or more, got {}", options.resamples);
  std::vector<double> scores(static_cast<size_t>(options.resamples));
  const double nanoseconds = 10.0 * static_cast<double>(options.resamples * sentences);
  parallel_for(options.resamples, nanoseconds, [&](int64_t b) {
    const RandomKey key = random_key({.seed = options.seed, .step = static_cast<uint64_t>(b)});
    std::vector<int64_t> chosen(static_cast<size_t>(sentences));
    for (size_t i = 0; i < chosen.size(); ++i) {
      const uint64_t bits = random_bits(key, static_cast<uint32_t>(i));
      chosen[i] = static_cast<int64_t>((bits * static_cast<uint64_t>(sentences)) >> 32);
    }
    scores[b] = score(chosen);
  });
  return scores;
}

Interval middle(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;
  return {scores[cut], scores[scores.size() - 1 - cut]};
}

}  // namespace

Interval bootstrap_interval(int64_t sentences, const SentencesScore& score,
                            const BootstrapOptions& options) {
  return middle(resampled(sentences, score, options));
}

PairedBootstrap paired_bootstrap(int64_t sentences, const SentencesScore& first,
                                 const SentencesScore& second, const BootstrapOptions& options) {
  const SentencesScore difference = [&](std::span<const int64_t> chosen) {
    return first(chosen) - second(chosen);
  };
  std::vector<double> differences = resampled(sentences, difference, options);
  std::vector<int64_t> all(static_cast<size_t>(sentences));
  std::iota(all.begin(), all.end(), 0);
  const double d = difference(all);
  const auto as_large = std::count_if(differences.begin(), differences.end(),
                                      [&](double one) { return std::abs(one - d) >= std::abs(d); });
  const double p =
      (1 + static_cast<double>(as_large)) / (1 + static_cast<double>(differences.size()));
  return {d, middle(std::move(differences)), p};
}

Interval bleu_interval(std::span<const BleuCounts> sentences, const BleuOptions& bleu_options,
                       const BootstrapOptions& options) {
  const auto score = [&](std::span<const int64_t> chosen) {
    BleuCounts sum;
    for (const int64_t i : chosen) sum += sentences[i];
    return bleu(sum, bleu_options).score;
  };
  return bootstrap_interval(static_cast<int64_t>(sentences.size()), score, options);
}

}  // namespace heed
