// Scores of predicted texts by name, for programs that let their user choose.
//
//   for (const auto metric : text_metrics()) {
//     const TextScore score = score_texts(metric, predicted, expected);
//     print(score.name, score.value, score.interval);
//   }
//
//   bleu           corpus BLEU                      interval: bootstrap
//   chrf, chrf++   corpus chrF2 and chrF2++         bootstrap
//   rouge1, rouge2, rougeL   mean F1                bootstrap
//   exact_match    share of equal texts             Wilson
//
// All from 0 to 100; the intervals are of 95 %.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/export.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/bootstrap.h"
#include "heed/metrics/interval.h"

namespace heed {

struct TextScoreOptions {
  BootstrapOptions bootstrap = {};  // 0 resamples: no interval by bootstrap
  BleuOptions bleu = {};
};

struct TextScore {
  std::string name;  // "BLEU", "chrF2++", "ROUGE-L", "exact match"
  double value = 0;
  std::optional<Interval> interval = std::nullopt;
  std::string signature = {};  // how it was computed, where there is a usual form for that
};

// The names above, in that order.
HEED_API std::span<const std::string_view> text_metrics();

// One reference for each prediction.
HEED_API TextScore score_texts(std::string_view metric, std::span<const std::string> predicted,
                               std::span<const std::string> expected,
                               const TextScoreOptions& options = {});

}  // namespace heed
