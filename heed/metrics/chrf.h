// chrF and chrF++ (Popovic 2015, 2017) as sacreBLEU computes them: an F score of the n-grams of
// characters (n = 1 .. 6) and, for chrF++, of words (n = 1, 2).
//
//   P_n  = matches_n / hypothesis_n          over all sentences
//   R_n  = matches_n / reference_n
//   P, R = the means of P_n and R_n over the n of which both sides have n-grams
//   chrF = 100 (1 + beta^2) P R / (beta^2 P + R)                    beta = 2: recall counts double
//
// With epsilon smoothing, as in chrF++.py and NLTK, the F scores of all n are averaged instead, an
// n without n-grams counting as 0.
//
//   words are what is between white space, with one ASCII punctuation mark at their end, or else at
//   their beginning, taken off
//   several references: a sentence counts with the one whose chrF is largest
//   nothing in common: 0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct ChrfOptions {
  int64_t character_order = 6;
  int64_t word_order = 0;  // 2: chrF++
  int64_t beta = 2;
  bool lower_case = false;         // compare without regard to case
  bool keep_white_space = false;   // in the n-grams of characters
  bool epsilon_smoothing = false;  // see above
};

// What chrF needs to know of a sentence; of a corpus: the sum. One entry per n, those of characters
// first.
struct HEED_API ChrfCounts {
  std::vector<int64_t> hypothesis, reference, matches;

  ChrfCounts& operator+=(const ChrfCounts& other);
};

struct ChrfScore {
  double score = 0;       // 0 to 100
  std::string name;       // "chrF2", "chrF2++"
  std::string signature;  // "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"
};

HEED_API ChrfCounts chrf_counts(std::string_view hypothesis,
                                std::span<const std::string> references,
                                const ChrfOptions& options = {});

// The score of summed counts, 0 to 100.
HEED_API double chrf(const ChrfCounts& counts, const ChrfOptions& options = {});

// references[i] are those of hypotheses[i], at least one. The second form: one each.
HEED_API ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                               std::span<const std::vector<std::string>> references,
                               const ChrfOptions& options = {});
HEED_API ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                               std::span<const std::string> references,
                               const ChrfOptions& options = {});

HEED_API std::string chrf_name(const ChrfOptions& options);

// As sacreBLEU prints it, without a version number. references = 0: their number varies.
HEED_API std::string chrf_signature(const ChrfOptions& options, int64_t references = 1);

}  // namespace heed
