// WordPiece with a small vocabulary of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heed/base/error.h"
#include "heed/text/accents_internal.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kVocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nwalk\n##ing\n##ed\nun\n##believ\n##able\n,\n!\n\u4e2d\n"
    "cafe\nCaf\u00e9\nA\na\n$\n##a\n\u1112\n##\u1161\n##\u11ab\n";

std::vector<std::string> pieces(const Tokenizer& tokenizer, const std::string& text,
                                SpecialNames names = SpecialNames::are_tokens) {
  std::vector<std::string> result;
  for (const int32_t id : tokenizer.encode(text, names)) result.push_back(tokenizer.token(id));
  return result;
}

std::string complaint(const std::string& json) {
  try {
    (void)parse_tokenizer(json, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WordPiece, TakesTheLongestPieces) {
  const auto t = parse_wordpiece(kVocabulary, {}, "v");
  EXPECT_THAT(pieces(*t, "walking  walked,walk"),
              ElementsAre("walk", "##ing", "walk", "##ed", ",", "walk"));
  EXPECT_THAT(pieces(*t, "unbelievable!"), ElementsAre("un", "##believ", "##able", "!"));
  EXPECT_THAT(pieces(*t, "walkings"), ElementsAre("[UNK]"));  // no part of a word is unknown alone
  EXPECT_THAT(pieces(*t, ""), ElementsAre());
  EXPECT_EQ(t->decode(t->encode("walking, walked")), "walking , walked");
}

TEST(WordPiece, NormalForm) {
  const auto t = parse_wordpiece(kVocabulary, {}, "v");
  EXPECT_THAT(pieces(*t, "CAF\u00c9 cafe\u0301"), ElementsAre("cafe", "cafe"));
  EXPECT_THAT(pieces(*t, "a\u4e2da"), ElementsAre("a", "\u4e2d", "a"));
  EXPECT_THAT(pieces(*t, "wa\u200blk\x01 a\t\u00a0a"), ElementsAre("walk", "a", "a"));
  EXPECT_THAT(pieces(*t, "a$a"), ElementsAre("a", "$", "a"));  // all signs of ASCII
  EXPECT_THAT(pieces(*t, "\ud55c"), ElementsAre("\u1112", "##\u1161", "##\u11ab"));
  EXPECT_THAT(pieces(*t, "a\xff\xfe"), ElementsAre("a"));  // bytes that are no text
}

TEST(WordPiece, OptionsOfTheNormalForm) {
  const auto cased = parse_wordpiece(
      kVocabulary, {.chinese = false, .strip_accents = false, .lower_case = false}, "v");
  EXPECT_THAT(pieces(*cased, "Caf\u00e9 A a \u4e2d\u4e2d"),
              ElementsAre("Caf\u00e9", "A", "a", "[UNK]"));
  const auto raw = parse_wordpiece(kVocabulary, {.clean = false}, "v");
  EXPECT_THAT(pieces(*raw, "a\x01"), ElementsAre("[UNK]"));
}

TEST(WordPiece, LongWordsAreUnknown) {
  const auto t = parse_wordpiece(kVocabulary, {}, "v");
  EXPECT_EQ(t->encode(std::string(100, 'a')).size(), 100u);
  EXPECT_THAT(pieces(*t, std::string(101, 'a') + " a"), ElementsAre("[UNK]", "a"));
  EXPECT_EQ(t->encode(std::string(10'000'000, 'a')).size(), 1u);
}

TEST(WordPiece, SpecialTokens) {
  const auto t = parse_wordpiece(kVocabulary, {}, "v");
  EXPECT_EQ(t->specials().cls, 2);
  EXPECT_EQ(t->specials().separator, 3);
  EXPECT_EQ(t->specials().unknown, 1);
  EXPECT_THAT(pieces(*t, "a [MASK]"), ElementsAre("a", "[MASK]"));
  EXPECT_THAT(pieces(*t, "[MASK]", SpecialNames::are_text), ElementsAre("[UNK]", "[UNK]", "[UNK]"));
}

TEST(WordPiece, Files) {
  std::string folder = std::filesystem::temp_directory_path() / "heed-pieces-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  };
  write("vocab.txt", kVocabulary);
  EXPECT_THAT(pieces(*load_tokenizer(folder), "Caf\u00e9"), ElementsAre("cafe"));
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_THAT(pieces(*load_tokenizer(folder), "Caf\u00e9"), ElementsAre("Caf\u00e9"));
  const auto t = load_tokenizer(folder + "/vocab.txt");
  t->save(folder);
  const auto again = load_tokenizer(folder);  // tokenizer.json says more than vocab.txt
  EXPECT_EQ(again->file_contents(), t->file_contents());
  EXPECT_EQ(again->kind(), TokenizerKind::wordpiece);
  EXPECT_THAT(pieces(*again, "Caf\u00e9 [CLS]"), ElementsAre("Caf\u00e9", "[CLS]"));
  std::filesystem::remove_all(folder);
}

TEST(WordPiece, WhatIsNotSupportedIsNamed) {
  const std::string model =
      R"("model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "a": 1}})";
  const std::string bert = R"("normalizer": {"type": "BertNormalizer"},)";
  const std::string split = R"("pre_tokenizer": {"type": "BertPreTokenizer"},)";
  EXPECT_EQ(parse_tokenizer("{" + bert + split + model + "}", "x")->size(), 2);
  EXPECT_THAT(complaint("{" + split + model + "}"), HasSubstr("normalizer null"));
  EXPECT_THAT(complaint(R"({"normalizer": {"type": "NFKC"},)" + split + model + "}"),
              HasSubstr("NFKC"));
  EXPECT_THAT(complaint("{" + bert + R"("pre_tokenizer": {"type": "Whitespace"},)" + model + "}"),
              HasSubstr("Whitespace"));
  EXPECT_THAT(
      complaint("{" + bert + split + R"("model": {"type": "WordPiece", "vocab": {"a": 0}}})"),
      HasSubstr("[UNK]"));
  EXPECT_THROW(parse_wordpiece("a\n\nb\n", {}, "v"), Error);
  EXPECT_THROW(parse_wordpiece("[UNK]\na\na\n", {}, "v"), Error);
}

TEST(Accents, AreStripped) {
  EXPECT_EQ(strip_accents("plain"), "plain");
  EXPECT_EQ(strip_accents("\u00c9t\u00e9 \u1e69 \u01d5"), "Ete s U");
  EXPECT_EQ(strip_accents("\u0439\u0451"), "\u0438\u0435");
  EXPECT_EQ(strip_accents("\u00f8\u00df\u0142"), "\u00f8\u00df\u0142");  // letters of their own
  EXPECT_EQ(strip_accents("\uf900\u0bca"), "\u8c48\u0bc6\u0bbe");
  EXPECT_EQ(strip_accents("\ud55c\uac00"), "\u1112\u1161\u11ab\u1100\u1161");
}

}  // namespace
}  // namespace heed
