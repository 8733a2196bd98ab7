#include "tests/text/samples.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

std::shared_ptr<const Tokenizer> words_of(std::string_view text, int64_t size = 0) {
  return trained(TokenizerKind::word, size, text);
}

std::string there_and_back(const std::string& text) {
  const auto words = words_of(text);
  return words->decode(words->encode(text));
}

TEST(WordTokenizer, SignsCarryJoiners) {
  const std::string text = "Yes (no). Don't , x-ray\nend";
  EXPECT_EQ(tokens_of(*words_of(text), text),
            (Strings{"Yes", "(\uffed", "no", "\uffed)", "\uffed.", "Don't", ",", "x",
                     "\uffed-\uffed", "ray", "\n", "end"}));
}

TEST(WordTokenizer, TextWithSingleBlanksComesBack) {
  for (const std::string text :
       {"Yes (no).", "a man , in a hat .", "\"Wau!\", said (he).", "f(x) = [1, 2] {a;b}",
        "l'été d’été, rock 'n' roll", "one\ntwo\n\n(three)\n", "10.5 % of 3,000",
        "a_b __c__ -d- --e", "我想。在", "e\u0301", "!", "..."}) {
    EXPECT_EQ(there_and_back(text), text);
  }
}

TEST(WordTokenizer, WhatItDoesNotKeep) {
  EXPECT_EQ(there_and_back("  two  blanks\tand \n more "), "two blanks and\nmore");
  EXPECT_EQ(there_and_back("a\xff b"), "a\ufffd b");
  EXPECT_EQ(there_and_back("a\uffed"), "a\u25a0");
}

TEST(WordTokenizer, UnknownWordsAndSigns) {
  const auto words = words_of("a, b ; c");
  EXPECT_EQ(tokens_of(*words, "a, zebra"), (Strings{"a", "\uffed,", "<|unk|>"}));
  EXPECT_EQ(words->decode(words->encode("a zebra")), "a <|unk|>");
  // Known only without joiners, but better than unknown.
  EXPECT_EQ(tokens_of(*words, "a;b"), (Strings{"a", ";", "b"}));
}

TEST(WordTokenizer, KeepsTheMostFrequent) {
  const auto words = words_of("b b b a a d c", 5 + 3);
  EXPECT_EQ(words->token(5), "b");
  EXPECT_EQ(words->token(6), "a");
  EXPECT_EQ(words->token(7), "c");  // as frequent as d, and before it
  EXPECT_EQ(words->size(), 8);
}

}  // namespace
}  // namespace heed
