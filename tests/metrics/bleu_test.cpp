#include "heed/metrics/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "tests/metrics/goldens.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;
using References = std::vector<Texts>;

std::string joined(const Texts& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The example of sacreBLEU's README; its test/test_bleu.py gives the digits behind the point.
const Texts kHypotheses{"The dog bit the man.", "It wasn't surprising.",
                        "The man had just bitten him."};
const References kReferences{{"The dog bit the man.", "The dog had bit the man."},
                             {"It was not unexpected.", "No one was surprised."},
                             {"The man bit him first.", "The man had bitten the dog."}};

TEST(Bleu, TheExampleOfSacreBleu) {
  const BleuScore score = corpus_bleu(kHypotheses, kReferences);
  EXPECT_NEAR(score.score, 48.530827, 1e-6);
  EXPECT_EQ(score.counts.hypothesis_length, 17);
  EXPECT_EQ(score.counts.reference_length, 18);
  EXPECT_NEAR(score.brevity_penalty, std::exp(1 - 18.0 / 17), 1e-12);
  const double precisions[] = {82.4, 50.0, 45.5, 37.5};
  for (size_t n = 0; n < 4; ++n) EXPECT_NEAR(score.precisions[n], precisions[n], 0.05);
  EXPECT_EQ(score.signature, "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp");

  EXPECT_NEAR(corpus_bleu(kHypotheses, kReferences, {.tokenizer = BleuTokenizer::none}).score,
              49.1919566, 1e-6);
  EXPECT_NEAR(corpus_bleu(kHypotheses, kReferences, {.smoothing = BleuSmoothing::none}).score,
              48.530827, 1e-6);
  EXPECT_EQ(corpus_bleu(Texts(3), kReferences).score, 0);
  EXPECT_EQ(corpus_bleu(Texts(3), kReferences).brevity_penalty, 0);
}

TEST(Bleu, TheNumberOfReferencesMayVary) {  // sacreBLEU's README, too
  References references = kReferences;
  references[0].erase(references[0].begin());
  const BleuScore score = corpus_bleu(kHypotheses, references);
  EXPECT_NEAR(score.score, 29.44, 0.005);
  EXPECT_EQ(score.counts.reference_length, 19);
  EXPECT_EQ(score.signature, "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp");
}

TEST(Bleu, SentencesOfSacreBleu) {  // from its test/test_sentence_bleu.py
  const Texts reference{"producţia de zahăr brut se exprimă în zahăr alb;"};
  const std::string hypothesis =
      "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;";
  const auto score = [&](const BleuOptions& options) {
    return sentence_bleu(hypothesis, reference, options).score;
  };
  EXPECT_NEAR(score({}), 8.493, 1e-3);
  EXPECT_EQ(score({.smoothing = BleuSmoothing::none}), 0);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::floor}), 4.51688, 1e-3);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::floor, .smoothing_value = 0.5}), 10.10, 1e-3);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::add_k}), 14.882, 1e-3);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::add_k, .smoothing_value = 2}), 21.389, 1e-3);
  EXPECT_NEAR(score({.tokenizer = BleuTokenizer::none}), 7.347, 1e-3);
  EXPECT_NEAR(score({.tokenizer = BleuTokenizer::character}), 40.8759, 1e-3);
  EXPECT_NEAR(score({.tokenizer = BleuTokenizer::character, .lower_case = true}), 42.0267, 1e-3);

  const Texts other{"okay thanks"};
  for (const BleuSmoothing smoothing :
       {BleuSmoothing::exp, BleuSmoothing::none, BleuSmoothing::floor, BleuSmoothing::add_k}) {
    EXPECT_EQ(sentence_bleu("this is a cat", other, {.smoothing = smoothing}).score, 0);
  }
}

TEST(Bleu, FromCounts) {  // sacreBLEU's test/test_bleu.py
  BleuCounts counts{{9, 7, 5, 3}, {10, 8, 6, 4}, 11, 11};
  EXPECT_NEAR(bleu(counts, {.smoothing = BleuSmoothing::none}).score, 83.75922397, 1e-6);
  counts = {{6, 5, 4, 0}, {6, 5, 4, 3}, 6, 6};
  EXPECT_EQ(bleu(counts, {.smoothing = BleuSmoothing::floor, .smoothing_value = 0}).score, 0);
  EXPECT_EQ(bleu({}, {}).score, 0);
}

// The k-th precision without a match is 1 / (2^k totals).
TEST(Bleu, ExpSmoothingHalvesEachTime) {
  const BleuScore score = bleu({{2, 0, 0, 0}, {5, 4, 3, 2}, 5, 5}, {});
  EXPECT_DOUBLE_EQ(score.precisions[1], 100.0 / (2 * 4));
  EXPECT_DOUBLE_EQ(score.precisions[2], 100.0 / (4 * 3));
  EXPECT_DOUBLE_EQ(score.precisions[3], 100.0 / (8 * 2));
  EXPECT_EQ(score.counts.matches[3], 0);
}

TEST(Bleu, ShortSentences) {
  const Texts reference{"a test"};
  EXPECT_EQ(corpus_bleu(Texts{"a test"}, reference).score, 0);  // there are no 3-grams
  EXPECT_NEAR(sentence_bleu("a test", reference).score, 100, 1e-12);
  EXPECT_NEAR(sentence_bleu("test", reference).score, 36.78794411714425, 1e-10);
  EXPECT_EQ(sentence_bleu("test", reference).signature,
            "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp");
}

TEST(Bleu, Words13a) {
  const auto words = [](const char* text) { return joined(bleu_words(text)); };
  EXPECT_EQ(words("Hello, world!"), "Hello , world !");
  EXPECT_EQ(words("It's 3.14, or 1,000."), "It's 3.14 , or 1,000 .");
  EXPECT_EQ(words("10-12 x-y"), "10 - 12 x-y");
  EXPECT_EQ(words("a <skipped>b"), "a b");
  EXPECT_EQ(words("hy-\nphen\nline"), "hyphen line");
  EXPECT_EQ(words("end-\n"), "end-");  // white space at the end goes first
  EXPECT_EQ(words("&quot;a&quot; &amp;lt; b"), "\" a \" < b");
  EXPECT_EQ(words("wait... ok"), "wait . . . ok");
  EXPECT_EQ(words("é,ü.ö"), "é , ü . ö");
  EXPECT_EQ(words("\xff.\xe9"), "\xff . \xe9");  // not UTF-8
  EXPECT_EQ(words(""), "");
}

TEST(Bleu, Goldens) {
  const GoldenCorpus corpus = golden_corpus();
  const auto words = golden_lines("words");
  const auto lower = golden_lines("lower");
  const auto alone = golden_lines("alone");
  for (size_t i = 0; i < corpus.hypotheses.size(); ++i) {
    EXPECT_EQ(joined(bleu_words(corpus.hypotheses[i])), words.at(i).at(0));
    EXPECT_EQ(bleu_words(corpus.hypotheses[i], {.lower_case = true}),
              bleu_words(lower.at(i).at(0)));
    EXPECT_NEAR(sentence_bleu(corpus.hypotheses[i], corpus.references[2][i]).score,
                std::stod(alone.at(i).at(0)), 1e-9)
        << corpus.hypotheses[i];
  }
  for (const Texts& line : golden_lines("bleu")) {
    BleuOptions options;
    if (line[0] == "none") options.tokenizer = BleuTokenizer::none;
    if (line[0] == "char") options.tokenizer = BleuTokenizer::character;
    if (line[1] == "floor") options.smoothing = BleuSmoothing::floor;
    if (line[1] == "add-k") options.smoothing = BleuSmoothing::add_k;
    if (line[1] == "none") options.smoothing = BleuSmoothing::none;
    options.smoothing_value = std::stod(line[2]);
    options.lower_case = line[3] == "1";
    const int references = std::stoi(line[4]);
    const BleuScore score = corpus_bleu(corpus.hypotheses, corpus.references[references], options);
    EXPECT_NEAR(score.score, std::stod(line[5]), 1e-9) << joined(line);
    for (size_t n = 0; n < 4; ++n) {
      EXPECT_NEAR(score.precisions[n], std::stod(line[6 + n]), 1e-9) << joined(line);
    }
    if (references == 1) {
      EXPECT_EQ(corpus_bleu(corpus.hypotheses, corpus.first, options).score, score.score);
    }
  }
}

TEST(Bleu, Signatures) {
  EXPECT_EQ(bleu_signature({.tokenizer = BleuTokenizer::character,
                            .smoothing = BleuSmoothing::floor,
                            .lower_case = true}),
            "nrefs:1|case:lc|eff:no|tok:char|smooth:floor[0.10]");
  EXPECT_EQ(bleu_signature({.smoothing = BleuSmoothing::add_k, .smoothing_value = 2}),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[2.00]");
}

TEST(Bleu, WhatDoesNotFit) {
  EXPECT_THROW(corpus_bleu(Texts{"a"}, Texts{"a", "b"}), Error);
  EXPECT_THROW(corpus_bleu(Texts{"a"}, References{{}}), Error);
  EXPECT_THROW(sentence_bleu("a", Texts{}), Error);
  EXPECT_THROW(
      sentence_bleu("a b", Texts{"a"}, {.smoothing = BleuSmoothing::floor, .smoothing_value = -1}),
      Error);
  EXPECT_EQ(corpus_bleu(Texts{}, Texts{}).score, 0);
}

}  // namespace
}  // namespace heed
