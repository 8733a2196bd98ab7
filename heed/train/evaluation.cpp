#include "heed/train/evaluation.h"

namespace heed {

std::optional<double> Evaluation::find(std::string_view name) const {
  for (const EvaluationScore& score : scores) {
    if (score.name == name) return score.value;
  }
  return {};
}

bool lower_is_better(std::string_view metric) {
  return metric == kLossMetric || metric == "perplexity";
}

}  // namespace heed
