#include "heed/metrics/exact_match.h"

#include "heed/base/fail.h"
#include "heed/metrics/words_internal.h"

namespace heed {

Proportion exact_match(std::span<const std::string> predicted,
                       std::span<const std::string> expected) {
  check(predicted.size() == expected.size(),
        "exact_match: {} predicted texts, but {} expected ones; there must be as many",
        predicted.size(), expected.size());
  Proportion share;
  for (size_t i = 0; i < predicted.size(); ++i) {
    share.correct += trim(predicted[i]) == trim(expected[i]) ? 1 : 0;
    ++share.total;
  }
  return share;
}

Proportion token_accuracy(std::span<const int32_t> predicted, std::span<const int32_t> expected,
                          int32_t ignored) {
  check(predicted.size() == expected.size(),
        "token_accuracy: {} predicted ids, but {} expected ones; there must be as many",
        predicted.size(), expected.size());
  Proportion share;
  for (size_t i = 0; i < predicted.size(); ++i) {
    if (expected[i] == ignored) continue;
    share.correct += predicted[i] == expected[i] ? 1 : 0;
    ++share.total;
  }
  return share;
}

}  // namespace heed
