// BLEU (Papineni and others 2002) as sacreBLEU computes it (Post 2018).
//
//   p_n   = matches_n / totals_n                 n = 1 .. 4, over all sentences
//   BLEU  = 100 BP (p_1 p_2 p_3 p_4)^(1/4)
//   BP    = 1                     if h >= r      h: words of the hypotheses
//         = exp(1 - r / h)        if h < r       r: words of the references
//
//   totals_n    the n-grams of the hypothesis
//   matches_n   each counted at most as often as in the reference where it is most frequent
//   r           adds up, sentence by sentence, the length of the reference closest to the
//               hypothesis; of two as close, the shorter
//
// Smoothing replaces p_n where matches_n is 0 (Chen and Cherry 2014):
//
//   exp      1 / (2^k totals_n) for the k-th such n: the default
//   floor    value / totals_n                                     value = 0.1
//   add_k    (matches_n + value) / (totals_n + value), for every n > 1    value = 1
//   none     0, and so is BLEU
//
//   no match at all, not even of one word: BLEU is 0 with any smoothing
//   totals_n = 0 (every hypothesis shorter than n): BLEU is 0, except with the effective order,
//   which leaves those n out; sentence_bleu does
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"

namespace heed {

// v13a: the words of mteval-v13a, which WMT uses: punctuation apart from letters, not inside
// numbers. none: what is between white space. character: every character but white space.
enum class BleuTokenizer : uint8_t { v13a, none, character };

enum class BleuSmoothing : uint8_t { exp, floor, add_k, none };

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smoothing_value = std::nullopt;  // for floor and add_k
  bool lower_case = false;                               // compare without regard to case
  bool effective_order = false;  // leave out the n of which there are no n-grams
};

// What BLEU needs to know of a sentence. Of a corpus: the sum.
struct HEED_API BleuCounts {
  std::array<int64_t, 4> matches{};
  std::array<int64_t, 4> totals{};
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;

  BleuCounts& operator+=(const BleuCounts& other);
  bool operator==(const BleuCounts&) const = default;
};

struct BleuScore {
  double score = 0;                    // 0 to 100
  std::array<double, 4> precisions{};  // p_n after smoothing, 0 to 100
  double brevity_penalty = 0;
  BleuCounts counts;      // before smoothing
  std::string signature;  // "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"
};

// The words that BLEU compares.
HEED_API std::vector<std::string> bleu_words(std::string_view text,
                                             const BleuOptions& options = {});

HEED_API BleuCounts bleu_counts(std::string_view hypothesis,
                                std::span<const std::string> references,
                                const BleuOptions& options = {});

// The score of summed counts; the signature is left empty.
HEED_API BleuScore bleu(const BleuCounts& counts, const BleuOptions& options = {});

// references[i] are those of hypotheses[i], at least one. The second form: one each.
HEED_API BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                               std::span<const std::vector<std::string>> references,
                               const BleuOptions& options = {});
HEED_API BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                               std::span<const std::string> references,
                               const BleuOptions& options = {});

// One sentence, with the effective order whatever the options say.
HEED_API BleuScore sentence_bleu(std::string_view hypothesis,
                                 std::span<const std::string> references, BleuOptions options = {});

// As sacreBLEU prints it, without a version number. references = 0: their number varies.
HEED_API std::string bleu_signature(const BleuOptions& options, int64_t references = 1);

}  // namespace heed
