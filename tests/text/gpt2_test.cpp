// GPT-2's own vocabulary, if HEED_DATA names a folder that has it: vocab/gpt2.encoder.json and
// vocab/gpt2.vocab.bpe, and texts with the ids that they must give.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "heed/text/tokenizer.h"
#include "tests/text/listed_texts.h"

namespace heed {
namespace {

class Gpt2 : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("HEED_DATA");
    if (data == nullptr) GTEST_SKIP() << "HEED_DATA is not set";
    folder_ = std::string(data) + "/vocab/";
    if (!std::filesystem::exists(folder_ + "gpt2.encoder.json")) {
      GTEST_SKIP() << "no GPT-2 vocabulary in " << folder_;
    }
    tokenizer_ = load_tokenizer(folder_ + "gpt2.encoder.json");
  }
  std::string folder_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(Gpt2, GivesTheIdsOfEveryText) {
  const ListedTexts listed(folder_ + "ggml-vocab-gpt-2.gguf");
  ASSERT_EQ(listed.ids.size(), listed.texts.size());
  EXPECT_GT(listed.texts.size(), 40u);
  for (size_t i = 0; i < listed.texts.size(); ++i) {
    const std::string& text = listed.texts[i];
    EXPECT_EQ(tokenizer_->encode(text), listed.ids[i]) << "text " << i << ": " << text;
    EXPECT_EQ(tokenizer_->decode(listed.ids[i]), text);
  }
}

TEST_F(Gpt2, HasItsSpecialToken) {
  EXPECT_EQ(tokenizer_->size(), 50257);
  EXPECT_EQ(tokenizer_->specials().bos, 50256);
  EXPECT_EQ(tokenizer_->specials().eos, 50256);
  EXPECT_EQ(tokenizer_->encode("a<|endoftext|>b"), (std::vector<int32_t>{64, 50256, 65}));
  EXPECT_GT(tokenizer_->encode("<|endoftext|>", SpecialNames::are_text).size(), 3u);
}

TEST_F(Gpt2, SurvivesTheOtherFormat) {
  const auto again = parse_tokenizer(tokenizer_->file_contents(), "tokenizer.json");
  for (const std::string& text : ListedTexts(folder_ + "ggml-vocab-gpt-2.gguf").texts) {
    EXPECT_EQ(again->encode(text), tokenizer_->encode(text));
  }
}

}  // namespace
}  // namespace heed
