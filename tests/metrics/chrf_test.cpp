#include "heed/metrics/chrf.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/metrics/goldens.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;
using References = std::vector<Texts>;

TEST(Chrf, TheExampleOfSacreBleu) {  // its README
  const Texts hypotheses{"The dog bit the man.", "It wasn't surprising.",
                         "The man had just bitten him."};
  const References references{{"The dog bit the man.", "The dog had bit the man."},
                              {"It was not unexpected.", "No one was surprised."},
                              {"The man bit him first.", "The man had bitten the dog."}};
  const ChrfScore score = corpus_chrf(hypotheses, references);
  EXPECT_NEAR(score.score, 59.73, 0.005);
  EXPECT_EQ(score.name, "chrF2");
  EXPECT_EQ(score.signature, "nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no");

  const ChrfScore words = corpus_chrf(hypotheses, references, {.word_order = 2});
  EXPECT_EQ(words.name, "chrF2++");
  EXPECT_EQ(words.signature, "nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:no");
}

// From sacreBLEU's test/test_chrf.py.
TEST(Chrf, ValuesOfSacreBleu) {
  const auto score = [](const Texts& hypotheses, const Texts& references, ChrfOptions options) {
    return corpus_chrf(hypotheses, references, options).score;
  };
  const ChrfOptions effective{.beta = 3};
  EXPECT_NEAR(score({"a"}, {"a"}, effective), 100, 1e-4);
  EXPECT_NEAR(score({""}, {"reference"}, effective), 0, 1e-4);
  EXPECT_NEAR(score({"a b c"}, {"abc"}, effective), 100, 1e-4);
  EXPECT_NEAR(score({"a", "b"}, {"a", "c"}, effective), 50, 1e-4);
  EXPECT_NEAR(score({"aa"}, {"ab"}, effective), 25, 1e-4);

  const ChrfOptions epsilon{.beta = 3, .epsilon_smoothing = true};
  EXPECT_NEAR(score({"abcdefg"}, {"hijklmnop"}, epsilon), 0, 1e-4);
  EXPECT_NEAR(score({"aa"}, {"ab"}, epsilon), 8.3333, 1e-4);
  EXPECT_NEAR(score({"a b c"}, {"a b c"}, epsilon), 50, 1e-4);
  const std::string risk =
      "risk assessment must be made of those who are qualified and expertise in the sector - these "
      "are the scientists .";
  const std::string risk_reference =
      "risk assessment has to be undertaken by those who are qualified and expert in that area - "
      "that is the scientists .";
  EXPECT_NEAR(score({" " + risk}, {risk_reference}, epsilon), 63.361730, 1e-4);
  EXPECT_NEAR(score({risk}, {risk_reference}, {.beta = 3, .keep_white_space = true}), 65.2414427,
              1e-4);
  EXPECT_NEAR(
      score({"Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich."},
            {"Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."},
            {.beta = 3, .keep_white_space = true}),
      67.3481606, 1e-4);
  EXPECT_NEAR(score({"Co nás nejvíc trápí, protože lékaři si vybírají, kdo bude žít a kdo zemře."},
                    {"Nejvíce smutní jsme z toho, že musíme rozhodovat o tom, kdo bude žít a kdo "
                     "zemře."},
                    {.epsilon_smoothing = true}),
              39.14078509, 1e-4);
}

TEST(Chrf, Goldens) {
  const GoldenCorpus corpus = golden_corpus();
  for (const Texts& line : golden_lines("chrf")) {
    const ChrfOptions options{.word_order = std::stoi(line[0]),
                              .beta = std::stoi(line[1]),
                              .lower_case = line[2] == "1",
                              .keep_white_space = line[3] == "1",
                              .epsilon_smoothing = line[4] == "1"};
    const int references = std::stoi(line[5]);
    const ChrfScore score = corpus_chrf(corpus.hypotheses, corpus.references[references], options);
    EXPECT_NEAR(score.score, std::stod(line[6]), 1e-9) << score.signature;
  }
}

TEST(Chrf, WhatDoesNotFit) {
  EXPECT_THROW(corpus_chrf(Texts{"a"}, Texts{"a", "b"}), Error);
  EXPECT_THROW(corpus_chrf(Texts{"a"}, References{{}}), Error);
  EXPECT_THROW(corpus_chrf(Texts{"a"}, Texts{"a"}, {.character_order = 0}), Error);
  EXPECT_THROW(chrf(chrf_counts("a", Texts{"a"}), {.word_order = 2}), Error);
  EXPECT_EQ(corpus_chrf(Texts{}, Texts{}).score, 0);
}

}  // namespace
}  // namespace heed
