#include "heed/metrics/rouge.h"

#include <algorithm>
#include <cstdint>

#include "heed/base/fail.h"
#include "heed/metrics/ngrams_internal.h"
#include "heed/text/lower_case.h"

namespace heed {
namespace {

PrecisionRecall rouge_n(std::span<const int32_t> prediction, std::span<const int32_t> reference,
                        size_t n) {
  const Ngrams ours(prediction, n);
  const Ngrams theirs(reference, n);
  return precision_recall(shared_ngrams(ours, {&theirs, 1}), ours.total(), theirs.total());
}

// L(i, j) = L(i - 1, j - 1) + 1 if a_i = b_j, else max(L(i - 1, j), L(i, j - 1)); one row is kept.
int64_t longest_common_subsequence(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<int64_t> row(b.size() + 1, 0);
  for (const int32_t x : a) {
    int64_t diagonal = 0;  // L(i - 1, j - 1)
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t above = row[j];
      row[j] = x == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

void add(PrecisionRecall& sum, const PrecisionRecall& one, double weight) {
  sum.precision += weight * one.precision;
  sum.recall += weight * one.recall;
  sum.f1 += weight * one.f1;
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : lower_case(text)) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_letter && !inside) words.emplace_back();
    if (is_letter) words.back() += c;
    inside = is_letter;
  }
  return words;
}

RougeScore rouge(std::string_view prediction, std::string_view reference) {
  WordIds word_ids;
  const std::vector<int32_t> ours = word_ids(rouge_words(prediction));
  const std::vector<int32_t> theirs = word_ids(rouge_words(reference));
  return {rouge_n(ours, theirs, 1), rouge_n(ours, theirs, 2),
          precision_recall(longest_common_subsequence(ours, theirs),
                           static_cast<int64_t>(ours.size()), static_cast<int64_t>(theirs.size()))};
}

RougeScore corpus_rouge(std::span<const std::string> predictions,
                        std::span<const std::string> references) {
  check(predictions.size() == references.size(),
        "rouge: {} predictions, but {} references; there must be as many", predictions.size(),
        references.size());
  RougeScore mean;
  const double weight = predictions.empty() ? 0 : 1 / static_cast<double>(predictions.size());
  for (size_t i = 0; i < predictions.size(); ++i) {
    const RougeScore one = rouge(predictions[i], references[i]);
    add(mean.rouge1, one.rouge1, weight);
    add(mean.rouge2, one.rouge2, weight);
    add(mean.rougeL, one.rougeL, weight);
  }
  return mean;
}

}  // namespace heed
