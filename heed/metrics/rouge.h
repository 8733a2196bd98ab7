// ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004), with the words of the Python package rouge-score without
// stemming.
//
//   ROUGE-n   matches = sum over n-grams of min(count in prediction, count in reference)
//             precision = matches / n-grams of the prediction, recall = matches / those of the
//             reference
//   ROUGE-L   the same with matches = length of the longest common subsequence of words, over words
//             of the prediction and of the reference; prediction and reference are one sentence
//             each
//
//   words: [a-z0-9]+ of the text in lower case; everything else only separates, so that a text in
//   another script has no words
//   no words on one side: all 0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"
#include "heed/metrics/precision_recall.h"

namespace heed {

struct RougeScore {
  PrecisionRecall rouge1, rouge2, rougeL;  // 0 to 1
};

HEED_API std::vector<std::string> rouge_words(std::string_view text);

HEED_API RougeScore rouge(std::string_view prediction, std::string_view reference);

// The means over all texts; references[i] is that of predictions[i].
HEED_API RougeScore corpus_rouge(std::span<const std::string> predictions,
                                 std::span<const std::string> references);

}  // namespace heed
