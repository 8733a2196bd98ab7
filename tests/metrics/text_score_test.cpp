#include "heed/metrics/text_score.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/rouge.h"
#include "tests/metrics/goldens.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

TEST(TextScore, EveryMetric) {
  const GoldenCorpus corpus = golden_corpus();
  for (const std::string_view metric : text_metrics()) {
    const TextScore score = score_texts(metric, corpus.hypotheses, corpus.first);
    ASSERT_TRUE(score.interval.has_value()) << metric;
    EXPECT_LE(score.interval->low, score.value) << metric;
    EXPECT_GE(score.interval->high, score.value) << metric;
    const TextScore perfect =
        score_texts(metric, corpus.first, corpus.first, {.bootstrap = {.resamples = 0}});
    if (metric.substr(0, 5) != "rouge") {  // some texts have no words
      EXPECT_NEAR(perfect.value, 100, 1e-9) << metric;
    }
    EXPECT_EQ(perfect.interval.has_value(), metric == "exact_match");
  }
  EXPECT_EQ(score_texts("bleu", corpus.hypotheses, corpus.first).value,
            corpus_bleu(corpus.hypotheses, corpus.first).score);
  const TextScore chrf = score_texts("chrf++", corpus.hypotheses, corpus.first);
  EXPECT_EQ(chrf.value, corpus_chrf(corpus.hypotheses, corpus.first, {.word_order = 2}).score);
  EXPECT_EQ(chrf.name, "chrF2++");
  EXPECT_EQ(chrf.signature, "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no");
  EXPECT_NEAR(score_texts("rougeL", corpus.hypotheses, corpus.first).value,
              100 * corpus_rouge(corpus.hypotheses, corpus.first).rougeL.f1, 1e-9);
}

TEST(TextScore, BleuAsItIsAskedFor) {
  const Texts predicted{"a house , red .", "it is so ."}, expected{"a house, red.", "it is so ."};
  const BleuOptions words{.tokenizer = BleuTokenizer::none};
  const TextScore score = score_texts("bleu", predicted, expected, {.bleu = words});
  const BleuScore direct = corpus_bleu(predicted, expected, words);
  EXPECT_EQ(score.value, direct.score);
  EXPECT_EQ(score.signature, direct.signature);
  EXPECT_NE(score.value, score_texts("bleu", predicted, expected).value);
  std::vector<BleuCounts> counts;
  for (size_t i = 0; i < 2; ++i) {
    counts.push_back(bleu_counts(predicted[i], std::span(expected).subspan(i, 1), words));
  }
  EXPECT_EQ(score.interval->low, bleu_interval(counts, words).low);
  EXPECT_EQ(score.interval->high, bleu_interval(counts, words).high);
}

TEST(TextScore, WhatDoesNotFit) {
  EXPECT_THROW(score_texts("bleu", Texts{}, Texts{}), Error);
  EXPECT_THROW(score_texts("bleu", Texts{"a"}, Texts{"a", "b"}), Error);
  try {
    score_texts("blue", Texts{"a"}, Texts{"a"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bleu, chrf"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed
