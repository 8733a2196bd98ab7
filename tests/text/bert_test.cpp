// The vocabulary of a BERT model, if HEED_DATA names a folder that has it:
// vocab/ggml-vocab-bert-bge.gguf (a GGUF file without weights), and texts with the ids that they
// must give.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "heed/text/tokenizer.h"
#include "tests/text/listed_texts.h"

namespace heed {
namespace {

// The tokens of a GGUF file: named values until there is the list of tokens.
class Gguf {
 public:
  explicit Gguf(const std::string& path) : file_(path, std::ios::binary) {
    if (number<uint32_t>() != 0x46554747) throw std::runtime_error(path + " is not GGUF");
    number<uint32_t>();  // the version
    number<uint64_t>();  // tensors
    const auto values = number<uint64_t>();
    for (uint64_t i = 0; i < values && file_; ++i) {
      const bool is_wanted = text() == "tokenizer.ggml.tokens";
      read(number<uint32_t>(), is_wanted);
    }
  }
  std::vector<std::string> tokens;

 private:
  template <typename T>
  T number() {
    T value{};
    file_.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  std::string text() {
    std::string value(number<uint64_t>(), '\0');
    file_.read(value.data(), static_cast<std::streamsize>(value.size()));
    return value;
  }
  void read(uint32_t type, bool is_wanted) {
    constexpr std::streamoff sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == 8) {
      std::string value = text();
      if (is_wanted) tokens.push_back(std::move(value));
    } else if (type == 9) {
      const auto inner = number<uint32_t>();
      const auto count = number<uint64_t>();
      for (uint64_t i = 0; i < count; ++i) read(inner, is_wanted);
    } else {
      file_.ignore(sizes[type]);
    }
  }

  std::ifstream file_;
};

// GGUF marks the pieces that begin a word, vocab.txt the others.
std::string vocabulary_of(const Gguf& file) {
  const std::string mark = "\u2581";
  std::string lines;
  for (const std::string& token : file.tokens) {
    const bool is_special = token.size() > 1 && token.front() == '[' && token.back() == ']';
    if (token.starts_with(mark)) {
      lines += token.substr(mark.size());
    } else {
      lines += (is_special ? "" : "##") + token;
    }
    lines += '\n';
  }
  return lines;
}

class Bert : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("HEED_DATA");
    if (data == nullptr) GTEST_SKIP() << "HEED_DATA is not set";
    path_ = std::string(data) + "/vocab/ggml-vocab-bert-bge.gguf";
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << "there is no " << path_;
    tokenizer_ = parse_wordpiece(vocabulary_of(Gguf(path_)), {}, path_);
  }
  std::string path_;
  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(Bert, GivesTheIdsOfEveryText) {
  const ListedTexts listed(path_);
  ASSERT_EQ(listed.ids.size(), listed.texts.size());
  EXPECT_GT(listed.texts.size(), 40u);
  for (size_t i = 0; i < listed.texts.size(); ++i) {
    EXPECT_EQ(tokenizer_->encode(listed.texts[i]), listed.ids[i])
        << "text " << i << ": " << listed.texts[i];
  }
}

TEST_F(Bert, HasItsSpecialTokens) {
  EXPECT_EQ(tokenizer_->size(), 30522);
  EXPECT_EQ(tokenizer_->specials().cls, 101);
  EXPECT_EQ(tokenizer_->specials().separator, 102);
  EXPECT_EQ(tokenizer_->specials().unknown, 100);
  EXPECT_EQ(tokenizer_->encode("a[MASK]b"), (std::vector<int32_t>{1037, 103, 1038}));
  EXPECT_EQ(tokenizer_->decode(tokenizer_->encode("Unbelievable, caf\u00e9s!")),
            "unbelievable , cafes !");
}

TEST_F(Bert, SurvivesTheOtherFormat) {
  const auto again = parse_tokenizer(tokenizer_->file_contents(), "tokenizer.json");
  EXPECT_EQ(again->kind(), TokenizerKind::wordpiece);
  for (const std::string& text : ListedTexts(path_).texts) {
    EXPECT_EQ(again->encode(text), tokenizer_->encode(text));
  }
}

}  // namespace
}  // namespace heed
