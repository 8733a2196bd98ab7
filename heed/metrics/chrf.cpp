#include "heed/metrics/chrf.h"

#include "heed/base/fail.h"
#include "heed/metrics/ngrams_internal.h"
#include "heed/metrics/references_internal.h"
#include "heed/metrics/words_internal.h"
#include "heed/text/lower_case.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

size_t order_of(const ChrfOptions& options) {
  check(options.character_order >= 0 && options.word_order >= 0 &&
            options.character_order + options.word_order > 0 && options.beta > 0,
        "chrf: character_order {}, word_order {}, beta {}: the orders must not be negative, one of "
        "them and beta must be positive",
        options.character_order, options.word_order, options.beta);
  return static_cast<size_t>(options.character_order + options.word_order);
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

std::vector<std::string> chrf_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : white_space_words(text)) {
    const bool is_one = first_code_point(word).bytes == word.size();
    if (!is_one && is_ascii_punctuation(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (!is_one && is_ascii_punctuation(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(std::move(word));
    }
  }
  return words;
}

// The characters and the words of one text, as ids.
struct Sides {
  std::vector<int32_t> characters, words;

  Sides(std::string_view text, WordIds& word_ids, const ChrfOptions& options) {
    std::string lower;
    if (options.lower_case) {
      lower = lower_case(text);
      text = lower;
    }
    characters = code_points(text, options.keep_white_space);
    if (options.word_order > 0) words = word_ids(chrf_words(text));
  }

  std::vector<Ngrams> ngrams(const ChrfOptions& options) const {
    std::vector<Ngrams> all;
    for (int64_t n = 1; n <= options.character_order; ++n) {
      all.emplace_back(characters, static_cast<size_t>(n));
    }
    for (int64_t n = 1; n <= options.word_order; ++n) {
      all.emplace_back(words, static_cast<size_t>(n));
    }
    return all;
  }
};

template <typename References>
ChrfScore chrf_of_corpus(std::span<const std::string> hypotheses, References references,
                         const ChrfOptions& options) {
  ChrfCounts sum;
  const int64_t number =
      for_each_sentence("chrf", hypotheses, references,
                        [&](std::string_view hypothesis, std::span<const std::string> of_it) {
                          sum += chrf_counts(hypothesis, of_it, options);
                        });
  return {hypotheses.empty() ? 0.0 : chrf(sum, options), chrf_name(options),
          chrf_signature(options, number)};
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  if (matches.empty()) return *this = other;
  check(matches.size() == other.matches.size(),
        "chrf: counts of {} and of {} orders cannot be added; use the same options", matches.size(),
        other.matches.size());
  for (size_t i = 0; i < matches.size(); ++i) {
    hypothesis[i] += other.hypothesis[i];
    reference[i] += other.reference[i];
    matches[i] += other.matches[i];
  }
  return *this;
}

ChrfCounts chrf_counts(std::string_view hypothesis, std::span<const std::string> references,
                       const ChrfOptions& options) {
  const size_t order = order_of(options);
  check(!references.empty(), "chrf: a sentence needs at least one reference, got none");
  WordIds word_ids;
  const Sides ours(hypothesis, word_ids, options);
  const std::vector<Ngrams> our_ngrams = ours.ngrams(options);

  ChrfCounts best;
  double best_score = -1;
  for (const std::string& reference : references) {
    const Sides theirs(reference, word_ids, options);
    const std::vector<Ngrams> their_ngrams = theirs.ngrams(options);
    ChrfCounts counts;
    for (size_t i = 0; i < order; ++i) {
      // A reference too short for n-grams of this length asks for none.
      counts.hypothesis.push_back(their_ngrams[i].total() > 0 ? our_ngrams[i].total() : 0);
      counts.reference.push_back(their_ngrams[i].total());
      counts.matches.push_back(shared_ngrams(our_ngrams[i], {&their_ngrams[i], 1}));
    }
    const double score = chrf(counts, options);
    if (score > best_score) {
      best_score = score;
      best = std::move(counts);
    }
  }
  return best;
}

double chrf(const ChrfCounts& counts, const ChrfOptions& options) {
  const size_t order = order_of(options);
  check(counts.matches.size() == order,
        "chrf: the counts have {} orders, the options {}; use the same options for both",
        counts.matches.size(), order);
  const auto weight = static_cast<double>(options.beta * options.beta);
  const auto f_score = [&](double precision, double recall) {
    const double below = weight * precision + recall;
    return below > 0 ? (1 + weight) * precision * recall / below : 0.0;
  };
  double precisions = 0, recalls = 0, scores = 0, effective = 0;
  for (size_t i = 0; i < order; ++i) {
    if (counts.hypothesis[i] == 0 || counts.reference[i] == 0) continue;
    const auto matches = static_cast<double>(counts.matches[i]);
    const double precision = matches / static_cast<double>(counts.hypothesis[i]);
    const double recall = matches / static_cast<double>(counts.reference[i]);
    precisions += precision;
    recalls += recall;
    scores += f_score(precision, recall);
    effective += 1;
  }
  if (options.epsilon_smoothing) return 100 * scores / static_cast<double>(order);
  return effective > 0 ? 100 * f_score(precisions / effective, recalls / effective) : 0.0;
}

ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const ChrfOptions& options) {
  return chrf_of_corpus(hypotheses, references, options);
}

ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                      std::span<const std::string> references, const ChrfOptions& options) {
  return chrf_of_corpus(hypotheses, references, options);
}

std::string chrf_name(const ChrfOptions& options) {
  check(options.word_order >= 0, "chrf: word_order must not be negative, got {}",
        options.word_order);
  return fmt::format("chrF{}{:+<{}}", options.beta, "", options.word_order);
}

std::string chrf_signature(const ChrfOptions& options, int64_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}",
                     references == 0 ? "var" : std::to_string(references),
                     options.lower_case ? "lc" : "mixed", options.epsilon_smoothing ? "no" : "yes",
                     options.character_order, options.word_order,
                     options.keep_white_space ? "yes" : "no");
}

}  // namespace heed
