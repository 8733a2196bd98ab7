// What validating a model gave.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct EvaluationScore {
  std::string name;  // "loss", "bleu", "accuracy", ..
  double value = 0;
};

// The metric that every task has.
inline constexpr std::string_view kLossMetric = "loss";

struct HEED_API Evaluation {
  std::vector<EvaluationScore> scores;    // the first is the task's own
  std::vector<std::string> samples = {};  // some answers, as text to show
  std::string stop = {};                  // why training should not go on; empty: it should
  std::string bleu_signature = {};        // how "bleu" was computed, if it is among the scores

  std::optional<double> find(std::string_view name) const;
};

// Whether a smaller value is better: true of losses and perplexities.
HEED_API bool lower_is_better(std::string_view metric);

}  // namespace heed
