#include "heed/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "heed/base/fail.h"
#include "heed/metrics/ngrams_internal.h"
#include "heed/metrics/references_internal.h"
#include "heed/metrics/words_13a_internal.h"
#include "heed/metrics/words_internal.h"
#include "heed/text/lower_case.h"

namespace heed {
namespace {

constexpr size_t kOrder = 4;

double smoothing_value(const BleuOptions& options) {
  const double value =
      options.smoothing_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
  check(value >= 0, "bleu: smoothing_value must not be negative, got {}", value);
  return value;
}

std::string smoothing_name(const BleuOptions& options) {
  switch (options.smoothing) {
    case BleuSmoothing::exp: return "exp";
    case BleuSmoothing::floor: return fmt::format("floor[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::add_k: return fmt::format("add-k[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::none: break;
  }
  return "none";
}

int64_t closest_length(int64_t hypothesis, std::span<const int64_t> references) {
  return *std::min_element(references.begin(), references.end(), [&](int64_t a, int64_t b) {
    const int64_t da = std::abs(a - hypothesis);
    const int64_t db = std::abs(b - hypothesis);
    return da != db ? da < db : a < b;
  });
}

template <typename References>
BleuScore bleu_of_corpus(std::span<const std::string> hypotheses, References references,
                         const BleuOptions& options) {
  BleuCounts sum;
  const int64_t number =
      for_each_sentence("bleu", hypotheses, references,
                        [&](std::string_view hypothesis, std::span<const std::string> of_it) {
                          sum += bleu_counts(hypothesis, of_it, options);
                        });
  BleuScore score = bleu(sum, options);
  score.signature = bleu_signature(options, number);
  return score;
}

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (size_t n = 0; n < kOrder; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  return *this;
}

std::vector<std::string> bleu_words(std::string_view text, const BleuOptions& options) {
  std::string lower;
  if (options.lower_case) {
    lower = lower_case(text);
    text = lower;
  }
  text = trim_end(text);
  switch (options.tokenizer) {
    case BleuTokenizer::v13a: return words_13a(text);
    case BleuTokenizer::character: return visible_characters(text);
    case BleuTokenizer::none: break;
  }
  return white_space_words(text);
}

BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string> references,
                       const BleuOptions& options) {
  check(!references.empty(), "bleu: a sentence needs at least one reference, got none");
  WordIds word_ids;
  const std::vector<int32_t> ids = word_ids(bleu_words(hypothesis, options));
  std::vector<std::vector<int32_t>> reference_ids;
  std::vector<int64_t> lengths;
  for (const std::string& reference : references) {
    reference_ids.push_back(word_ids(bleu_words(reference, options)));
    lengths.push_back(static_cast<int64_t>(reference_ids.back().size()));
  }

  BleuCounts counts;
  counts.hypothesis_length = static_cast<int64_t>(ids.size());
  counts.reference_length = closest_length(counts.hypothesis_length, lengths);
  for (size_t n = 0; n < kOrder; ++n) {
    const Ngrams ngrams(ids, n + 1);
    std::vector<Ngrams> reference_ngrams;
    reference_ngrams.reserve(reference_ids.size());
    for (const auto& reference : reference_ids) reference_ngrams.emplace_back(reference, n + 1);
    counts.totals[n] = ngrams.total();
    counts.matches[n] = shared_ngrams(ngrams, reference_ngrams);
  }
  return counts;
}

BleuScore bleu(const BleuCounts& counts, const BleuOptions& options) {
  BleuScore result;
  result.counts = counts;
  const auto h = static_cast<double>(counts.hypothesis_length);
  const auto r = static_cast<double>(counts.reference_length);
  if (h >= r) {
    result.brevity_penalty = 1;
  } else {
    result.brevity_penalty = h > 0 ? std::exp(1 - r / h) : 0;
  }
  if (counts.matches == std::array<int64_t, kOrder>{}) return result;

  const double value = smoothing_value(options);
  double halving = 1;
  size_t order = 0;  // p_1 .. p_order exist
  for (; order < kOrder; ++order) {
    const bool add = options.smoothing == BleuSmoothing::add_k && order > 0;
    const double matches = static_cast<double>(counts.matches[order]) + (add ? value : 0);
    const double total = static_cast<double>(counts.totals[order]) + (add ? value : 0);
    if (total == 0) break;
    double right = matches;
    if (matches == 0 && options.smoothing == BleuSmoothing::exp) right = 1 / (halving *= 2);
    if (matches == 0 && options.smoothing == BleuSmoothing::floor) right = value;
    result.precisions[order] = 100 * right / total;
  }
  if (order < kOrder && !options.effective_order) return result;

  double log_sum = 0;
  for (size_t n = 0; n < order; ++n) log_sum += std::log(result.precisions[n]);  // log 0: -infinity
  result.score = result.brevity_penalty * std::exp(log_sum / static_cast<double>(order));
  return result;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const BleuOptions& options) {
  return bleu_of_corpus(hypotheses, references, options);
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::string> references, const BleuOptions& options) {
  return bleu_of_corpus(hypotheses, references, options);
}

BleuScore sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                        BleuOptions options) {
  options.effective_order = true;
  BleuScore score = bleu(bleu_counts(hypothesis, references, options), options);
  score.signature = bleu_signature(options, static_cast<int64_t>(references.size()));
  return score;
}

std::string bleu_signature(const BleuOptions& options, int64_t references) {
  std::string_view tokenizer = "none";
  if (options.tokenizer == BleuTokenizer::v13a) tokenizer = "13a";
  if (options.tokenizer == BleuTokenizer::character) tokenizer = "char";
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}",
                     references == 0 ? "var" : std::to_string(references),
                     options.lower_case ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     tokenizer, smoothing_name(options));
}

}  // namespace heed
