#include "heed/metrics/rouge.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/metrics/goldens.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

void expect_near(const PrecisionRecall& score, double precision, double recall, double f1,
                 double tolerance) {
  EXPECT_NEAR(score.precision, precision, tolerance);
  EXPECT_NEAR(score.recall, recall, tolerance);
  EXPECT_NEAR(score.f1, f1, tolerance);
}

// From the tests of the package rouge-score (google-research/rouge/rouge_scorer_test.py), which
// took the numbers of the random text from ROUGE-1.5.5.
TEST(Rouge, ValuesOfRougeScore) {
  expect_near(rouge("testing", "testing one two").rouge1, 1, 1.0 / 3, 0.5, 1e-12);
  expect_near(rouge("testing one", "testing one two").rouge2, 1, 0.5, 2.0 / 3, 1e-12);
  expect_near(rouge("testing one", "testing one two").rougeL, 1, 2.0 / 3, 0.8, 1e-12);
  expect_near(rouge("testing two", "testing one two").rougeL, 1, 2.0 / 3, 0.8, 1e-12);

  const RougeScore score = rouge(
      "rFDJCRtion Ht-LM EKtDXkME,yz'RBr q'wer wrojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxi",
      "ZfbCUIUuePaiLVUlCaUXxkpu XPeWing tUHfPMuZ',-Xd Y BrUgVJing M-HV.-DgdDaY.rFDJCRing Ht-LM "
      "EKBDXkME,yz'RBr q'wtion wIojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxer tKM L");
  expect_near(score.rouge1, 0.68750, 0.40741, 0.51163, 5e-6);
  expect_near(score.rouge2, 0.53333, 0.30769, 0.39024, 5e-6);
  expect_near(score.rougeL, 0.68750, 0.40741, 0.51163, 5e-6);
}

TEST(Rouge, NoWords) {
  for (const auto& [a, b] : {std::pair("", "one"), {"one", ""}, {"", ""}, {"/", "東京"}}) {
    const RougeScore score = rouge(a, b);
    expect_near(score.rouge1, 0, 0, 0, 0);
    expect_near(score.rouge2, 0, 0, 0, 0);
    expect_near(score.rougeL, 0, 0, 0, 0);
  }
  EXPECT_EQ(rouge_words("It's 3.5 Öl\xff-x"), (Texts{"it", "s", "3", "5", "l", "x"}));
}

TEST(Rouge, Goldens) {
  const GoldenCorpus corpus = golden_corpus();
  const auto lines = golden_lines("rouge");
  double f1 = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const RougeScore score = rouge(corpus.hypotheses[i], corpus.first[i]);
    size_t column = 0;
    for (const PrecisionRecall& one : {score.rouge1, score.rouge2, score.rougeL}) {
      for (const double value : {one.precision, one.recall, one.f1}) {
        EXPECT_NEAR(value, std::stod(lines[i].at(column++)), 1e-11) << corpus.hypotheses[i];
      }
    }
    f1 += score.rougeL.f1 / static_cast<double>(lines.size());
  }
  EXPECT_NEAR(corpus_rouge(corpus.hypotheses, corpus.first).rougeL.f1, f1, 1e-12);
  EXPECT_THROW(corpus_rouge(Texts{"a"}, Texts{}), Error);
  EXPECT_EQ(corpus_rouge(Texts{}, Texts{}).rouge1.f1, 0);
}

}  // namespace
}  // namespace heed
