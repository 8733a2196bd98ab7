#include "heed/metrics/text_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "heed/base/fail.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/exact_match.h"
#include "heed/metrics/rouge.h"

namespace heed {
namespace {

using Texts = std::span<const std::string>;

constexpr std::string_view kMetrics[] = {"bleu",   "chrf",   "chrf++",     "rouge1",
                                         "rouge2", "rougeL", "exact_match"};

// value = score of all sentences; its interval from resamples of them.
void set(TextScore& result, size_t sentences, const SentencesScore& score,
         const BootstrapOptions& options) {
  std::vector<int64_t> all(sentences);
  for (size_t i = 0; i < sentences; ++i) all[i] = static_cast<int64_t>(i);
  result.value = score(all);
  if (options.resamples == 0) return;
  result.interval = bootstrap_interval(static_cast<int64_t>(sentences), score, options);
}

TextScore score_bleu(Texts predicted, Texts expected, const TextScoreOptions& options) {
  std::vector<BleuCounts> counts;
  counts.reserve(predicted.size());
  for (size_t i = 0; i < predicted.size(); ++i) {
    counts.push_back(bleu_counts(predicted[i], expected.subspan(i, 1), options.bleu));
  }
  BleuCounts sum;
  for (const BleuCounts& sentence : counts) sum += sentence;
  TextScore result{.name = "BLEU",
                   .value = bleu(sum, options.bleu).score,
                   .signature = bleu_signature(options.bleu)};
  if (options.bootstrap.resamples > 0) {
    result.interval = bleu_interval(counts, options.bleu, options.bootstrap);
  }
  return result;
}

TextScore score_chrf(Texts predicted, Texts expected, const ChrfOptions& chrf_options,
                     const BootstrapOptions& options) {
  std::vector<ChrfCounts> counts;
  counts.reserve(predicted.size());
  for (size_t i = 0; i < predicted.size(); ++i) {
    counts.push_back(chrf_counts(predicted[i], expected.subspan(i, 1), chrf_options));
  }
  TextScore result{.name = chrf_name(chrf_options), .signature = chrf_signature(chrf_options)};
  set(
      result, counts.size(),
      [&](std::span<const int64_t> chosen) {
        ChrfCounts sum;
        for (const int64_t i : chosen) sum += counts[i];
        return chrf(sum, chrf_options);
      },
      options);
  return result;
}

TextScore score_rouge(std::string name, PrecisionRecall RougeScore::*which, Texts predicted,
                      Texts expected, const BootstrapOptions& options) {
  std::vector<double> f1;
  f1.reserve(predicted.size());
  for (size_t i = 0; i < predicted.size(); ++i) {
    f1.push_back((rouge(predicted[i], expected[i]).*which).f1);
  }
  TextScore result{.name = std::move(name)};
  set(
      result, f1.size(),
      [&](std::span<const int64_t> chosen) {
        double sum = 0;
        for (const int64_t i : chosen) sum += f1[i];
        return 100 * sum / static_cast<double>(chosen.size());
      },
      options);
  return result;
}

TextScore score_exact_match(Texts predicted, Texts expected) {
  const Proportion share = exact_match(predicted, expected);
  const Interval interval = share.interval();
  return {.name = "exact match",
          .value = 100 * share.value(),
          .interval = Interval{100 * interval.low, 100 * interval.high}};
}

}  // namespace

std::span<const std::string_view> text_metrics() { return kMetrics; }

TextScore score_texts(std::string_view metric, Texts predicted, Texts expected,
                      const TextScoreOptions& options) {
  check(predicted.size() == expected.size() && !predicted.empty(),
        "score_texts: {} predicted texts and {} expected ones; there must be as many, and at least "
        "one",
        predicted.size(), expected.size());
  if (metric == "bleu") return score_bleu(predicted, expected, options);
  if (metric == "chrf") return score_chrf(predicted, expected, {}, options.bootstrap);
  if (metric == "chrf++")
    return score_chrf(predicted, expected, {.word_order = 2}, options.bootstrap);
  if (metric == "rouge1") {
    return score_rouge("ROUGE-1", &RougeScore::rouge1, predicted, expected, options.bootstrap);
  }
  if (metric == "rouge2") {
    return score_rouge("ROUGE-2", &RougeScore::rouge2, predicted, expected, options.bootstrap);
  }
  if (metric == "rougeL") {
    return score_rouge("ROUGE-L", &RougeScore::rougeL, predicted, expected, options.bootstrap);
  }
  if (metric == "exact_match") return score_exact_match(predicted, expected);
  fail("score_texts: no metric '{}'; there are {}", metric, fmt::join(kMetrics, ", "));
}

}  // namespace heed
