// Tokens as people read them.
#include "heed/text/token_label.h"

#include <gtest/gtest.h>

#include "heed/text/train_tokenizer.h"

namespace heed {
namespace {

std::shared_ptr<const Tokenizer> trained_on(const std::string& text, TokenizerKind kind,
                                            int64_t size = 0) {
  std::string much;
  for (int i = 0; i < 20; ++i) much += text + "\n";
  const std::string_view texts[] = {much};
  return train_tokenizer(texts, {.kind = kind, .vocab_size = size});
}

std::string labels_of(const Tokenizer& tokenizer, const std::string& text) {
  std::string all;
  for (const int32_t id : tokenizer.encode(text)) all += "[" + token_label(tokenizer, id) + "]";
  return all;
}

TEST(TokenLabel, BytesOfBpeAreCharactersAgain) {
  const auto bpe = trained_on("über die Straße über die Straße", TokenizerKind::bpe, 400);
  const std::string shown = labels_of(*bpe, "über die Straße");
  EXPECT_NE(shown.find("▁Straße"), std::string::npos) << shown;
  EXPECT_NE(shown.find("über"), std::string::npos) << shown;
  EXPECT_EQ(labels_of(*bpe, "\n"), "[\\x0a]");
  EXPECT_EQ(labels_of(*bpe, "é"), "[\\xc3][\\xa9]");  // a character in two parts
  EXPECT_EQ(token_label(*bpe, bpe->specials().eos.value()),
            bpe->token(bpe->specials().eos.value()));
  EXPECT_EQ(token_label(*bpe, -7), "-7");
}

TEST(TokenLabel, OtherKindsKeepTheirNames) {
  const std::string text = "die Straße über dem Haus";
  const auto characters = trained_on(text, TokenizerKind::character);
  EXPECT_EQ(labels_of(*characters, "e ß"), "[e][▁][ß]");
  const auto words = trained_on(text, TokenizerKind::word);
  EXPECT_EQ(labels_of(*words, "die Straße"), "[die][Straße]");
  const auto bytes = trained_on(text, TokenizerKind::byte);
  EXPECT_EQ(labels_of(*bytes, "a ß"), "[a][▁][\\xc3][\\x9f]");
}

}  // namespace
}  // namespace heed
