// What holds for every kind of tokenizer.

#include "heed/text/tokenizer.h"

#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/text/samples.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<int32_t>;

constexpr TokenizerKind kAll[] = {TokenizerKind::byte,    TokenizerKind::character,
                                  TokenizerKind::word,    TokenizerKind::bpe,
                                  TokenizerKind::unigram, TokenizerKind::sentencepiece_bpe};

int64_t small_size(TokenizerKind kind) {
  const bool all = kind == TokenizerKind::character || kind == TokenizerKind::word;
  return all ? 0 : 380;
}

class EveryKind : public testing::TestWithParam<TokenizerKind> {
 protected:
  std::shared_ptr<const Tokenizer> tokenizer_ = trained(GetParam(), small_size(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Tokenizer, EveryKind, testing::ValuesIn(kAll), [](const auto& kind) {
  const std::string text(name(kind.param));
  return text == "spm-bpe" ? "spm_bpe" : text;
});

TEST_P(EveryKind, SavesAndLoads) {
  const std::string folder = std::filesystem::temp_directory_path() /
                             ("heed_text_" + std::to_string(::getpid())) /
                             std::string(name(GetParam()));
  const std::string path = tokenizer_->save(folder);
  for (const std::string& from : {folder, path}) {
    const auto again = load_tokenizer(from);
    EXPECT_EQ(again->kind(), GetParam());
    ASSERT_EQ(again->size(), tokenizer_->size());
    EXPECT_EQ(again->encode(kSampleText), tokenizer_->encode(kSampleText));
    EXPECT_EQ(again->file_contents(), tokenizer_->file_contents());
    EXPECT_EQ(again->specials().unknown, tokenizer_->specials().unknown);
    EXPECT_EQ(again->specials().bos, tokenizer_->specials().bos);
    EXPECT_EQ(again->specials().eos, tokenizer_->specials().eos);
    EXPECT_EQ(again->specials().separator, tokenizer_->specials().separator);
    EXPECT_EQ(again->specials().cls, tokenizer_->specials().cls);
  }
  std::filesystem::remove_all(std::filesystem::path(folder).parent_path());
}

TEST_P(EveryKind, TrainsTheSameAgain) {
  const auto again = trained(GetParam(), small_size(GetParam()));
  EXPECT_EQ(again->file_contents(), tokenizer_->file_contents());
}

TEST_P(EveryKind, TokensAreFound) {
  for (int32_t id = 0; id < tokenizer_->size(); ++id) {
    EXPECT_EQ(tokenizer_->find(tokenizer_->token(id)), id);
  }
  EXPECT_FALSE(tokenizer_->find("not a token"));
  const SpecialIds& ids = tokenizer_->specials();
  for (const auto& id : {ids.bos, ids.eos, ids.separator, ids.cls}) EXPECT_TRUE(id.has_value());
}

TEST_P(EveryKind, RefusesIdsThatDoNotExist) {
  for (const int32_t id : {-1, static_cast<int32_t>(tokenizer_->size()), INT32_MAX, INT32_MIN}) {
    EXPECT_NE(error_in([&] { (void)tokenizer_->decode(Ids{id}); }).find("is not in the vocabulary"),
              std::string::npos);
    EXPECT_THROW((void)tokenizer_->token(id), Error);
  }
}

TEST_P(EveryKind, NothingGivesNothing) {
  EXPECT_TRUE(tokenizer_->encode("").empty());
  EXPECT_EQ(tokenizer_->decode({}), "");
}

TEST_P(EveryKind, AnyBytesCanBeEncoded) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const std::string text = random_bytes(seed);
    const Ids ids = tokenizer_->encode(text);
    const std::string back = tokenizer_->decode(ids);
    StreamDecoder stream(tokenizer_);
    std::string streamed;
    for (const int32_t id : ids) streamed += stream.push(id);
    EXPECT_EQ(streamed + stream.finish(), back);
    if (GetParam() == TokenizerKind::byte || GetParam() == TokenizerKind::bpe) {
      ASSERT_EQ(back, text) << "seed " << seed;
      ASSERT_EQ(tokenizer_->decode(tokenizer_->encode(text, SpecialNames::are_text)), text);
    }
  }
}

TEST_P(EveryKind, ThreadsMayShareIt) {
  const Ids expected = tokenizer_->encode(kSampleText);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) EXPECT_EQ(tokenizer_->encode(kSampleText), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(EveryKind, NeedsText) {
  if (GetParam() == TokenizerKind::byte) return;
  EXPECT_NE(error_in([&] { trained(GetParam(), 0, ""); }).find("no text to train on"),
            std::string::npos);
  EXPECT_NE(error_in([&] { trained(GetParam(), 3); }), "no error");
  EXPECT_THROW(trained(GetParam(), -1), Error);
}

TEST(Tokenizer, StreamHoldsBackHalfCharacters) {
  const auto bytes = trained(TokenizerKind::byte, 0);
  StreamDecoder stream(bytes);
  Strings shown;
  for (const int32_t id : bytes->encode("aé我\xff")) shown.push_back(stream.push(id));
  EXPECT_EQ(shown, (Strings{"a", "", "é", "", "", "我", "\xff"}));
  stream.push(0xc3);
  EXPECT_EQ(stream.finish(), "\xc3");
  EXPECT_EQ(stream.finish(), "");
}

TEST(Tokenizer, Bytes) {
  const auto bytes = trained(TokenizerKind::byte, 0);
  EXPECT_EQ(bytes->size(), 260);
  EXPECT_EQ(bytes->encode("A\n\xff<|eos|>"), (Ids{65, 10, 255, 257}));
  EXPECT_EQ(bytes->encode("<|eos|>", SpecialNames::are_text).size(), 7u);
  EXPECT_EQ(bytes->token(10), "<0x0A>");
}

TEST(Tokenizer, Characters) {
  const auto chars = trained(TokenizerKind::character, 0, "banana é");
  EXPECT_EQ(chars->size(), 5 + 5);
  EXPECT_EQ(tokens_of(*chars, "nab é<|sep|>"), (Strings{"n", "a", "b", " ", "é", "<|sep|>"}));
  EXPECT_EQ(chars->encode("a"), Ids{5});  // the most frequent
  EXPECT_EQ(chars->decode(chars->encode("xa\xffz")), "\ufffda\ufffd\ufffd");
  const auto few = trained(TokenizerKind::character, 7, "banana é");
  EXPECT_EQ(few->size(), 7);  // 'a' three times, 'n' twice
  EXPECT_EQ(tokens_of(*few, "ban"), (Strings{"<|unk|>", "a", "n"}));
}

TEST(Tokenizer, FolderWithoutOne) {
  EXPECT_NE(error_in([&] { load_tokenizer("/nowhere/at/all"); }).find("cannot open"),
            std::string::npos);
  EXPECT_NE(error_in([&] { load_tokenizer("/proc/self/fd"); }).find("no tokenizer here"),
            std::string::npos);
  EXPECT_NE(error_in([&] { trained(TokenizerKind::byte, 0)->save("/dev/null/x"); }), "no error");
}

}  // namespace
}  // namespace heed
