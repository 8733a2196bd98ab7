// Which tokens begin and end a text, if tokenizer_config.json says it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/text/samples.h"

namespace heed::bos_eos_test {
namespace {

struct Folder {
  std::string path;
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "heed-ends-XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write_config(const std::string& text) const { std::ofstream(config()) << text; }
  std::string config() const { return path + "/tokenizer_config.json"; }
};

TEST(BosEos, AreThoseOfTheConfig) {
  for (const auto kind : {TokenizerKind::byte, TokenizerKind::bpe, TokenizerKind::unigram}) {
    const Folder folder;
    const auto plain = trained(kind, 380);
    const std::string path = plain->save(folder.path);
    const std::string cls = plain->token(*plain->specials().cls);
    const std::string separator = plain->token(*plain->specials().separator);
    folder.write_config(fmt::format(
        R"({{"bos_token": {{"content": "{}", "lstrip": false}}, "eos_token": "{}", "more": 1}})",
        cls, separator));
    for (const std::string& from : {folder.path, path}) {
      const auto tokenizer = load_tokenizer(from);
      EXPECT_EQ(tokenizer->specials().bos, plain->specials().cls);
      EXPECT_EQ(tokenizer->specials().eos, plain->specials().separator);
      EXPECT_EQ(tokenizer->specials().unknown, plain->specials().unknown);
      EXPECT_EQ(tokenizer->encode(kSampleText), plain->encode(kSampleText));
      EXPECT_EQ(tokenizer->file_contents(), plain->file_contents());
    }
  }
}

TEST(BosEos, AreSavedWithTheTokenizer) {
  const Folder folder;
  const auto plain = trained(TokenizerKind::unigram, 380);
  const auto changed = with_bos_eos(plain, {.bos = {}, .eos = plain->specials().bos});
  changed->save(folder.path);
  EXPECT_EQ(load_tokenizer(folder.path)->specials().bos, plain->specials().bos);
  EXPECT_EQ(load_tokenizer(folder.path)->specials().eos, plain->specials().bos);
  plain->save(folder.path);
  EXPECT_FALSE(std::filesystem::exists(folder.config()));
  EXPECT_EQ(load_tokenizer(folder.path)->specials().eos, plain->specials().eos);
}

TEST(BosEos, WhatTheConfigDoesNotSayStays) {
  const Folder folder;
  const auto plain = trained(TokenizerKind::bpe, 380);
  plain->save(folder.path);
  for (const char* text : {"{}", R"({"bos_token": null, "eos_token": "</none>"})"}) {
    folder.write_config(text);
    EXPECT_EQ(load_tokenizer(folder.path)->specials().bos, plain->specials().bos);
    EXPECT_EQ(load_tokenizer(folder.path)->specials().eos, plain->specials().eos);
  }
  for (const char* text : {"[]", "{", R"({"eos_token": 3})"}) {
    folder.write_config(text);
    EXPECT_THAT(error_in([&] { load_tokenizer(folder.path); }),
                testing::HasSubstr("tokenizer_config.json"))
        << text;
  }
  EXPECT_THROW(with_bos_eos(plain, {.bos = 100'000, .eos = {}}), Error);
}

}  // namespace
}  // namespace heed::bos_eos_test
