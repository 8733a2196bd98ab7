// GPT-2's own vocabulary, if HEED_DATA names a folder that has it: vocab/gpt2.encoder.json and
// vocab/gpt2.vocab.bpe, and texts with the ids that they must give.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/text/tokenizer.h"

namespace heed {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A line of its own follows each text.
std::vector<std::string> split_texts(const std::string& all) {
  const std::string line = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  size_t begin = 0;
  for (size_t end; (end = all.find(line, begin)) != std::string::npos; begin = end + line.size()) {
    texts.push_back(all.substr(begin, end - begin));
  }
  if (begin < all.size()) texts.push_back(all.substr(begin));
  return texts;
}

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
  const auto texts = split_texts(contents(folder_ + "ggml-vocab-gpt-2.gguf.inp"));
  std::ifstream expected(folder_ + "ggml-vocab-gpt-2.gguf.out");
  size_t count = 0;
  for (std::string line; std::getline(expected, line); ++count) {
    ASSERT_LT(count, texts.size());
    std::istringstream numbers(line);
    std::vector<int32_t> ids;
    for (int32_t id; numbers >> id;) ids.push_back(id);
    EXPECT_EQ(tokenizer_->encode(texts[count]), ids) << "text " << count << ": " << texts[count];
    EXPECT_EQ(tokenizer_->decode(ids), texts[count]);
  }
  EXPECT_EQ(count, texts.size());
  EXPECT_GT(count, 40u);
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
  for (const std::string& text : split_texts(contents(folder_ + "ggml-vocab-gpt-2.gguf.inp"))) {
    EXPECT_EQ(again->encode(text), tokenizer_->encode(text));
  }
}

}  // namespace
}  // namespace heed
