// Tokens as people read them.
#include "heed/text/token_label.h"

#include <gtest/gtest.h>

#include "tests/text/samples.h"

namespace heed {
namespace {

std::string labels_of(const Tokenizer& tokenizer, const std::string& text) {
  std::string all;
  for (const int32_t id : tokenizer.encode(text)) all += "[" + token_label(tokenizer, id) + "]";
  return all;
}

TEST(TokenLabel, BytesOfBpeAreCharactersAgain) {
  const auto bpe =
      trained(TokenizerKind::bpe, 400, repeated("über die Straße über die Straße\n", 20));
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
  const std::string text = repeated("die Straße über dem Haus\n", 20);
  const auto characters = trained(TokenizerKind::character, 0, text);
  EXPECT_EQ(labels_of(*characters, "e ß"), "[e][▁][ß]");
  const auto words = trained(TokenizerKind::word, 0, text);
  EXPECT_EQ(labels_of(*words, "die Straße"), "[die][Straße]");
  const auto bytes = trained(TokenizerKind::byte, 0, text);
  EXPECT_EQ(labels_of(*bytes, "a ß"), "[a][▁][\\xc3][\\x9f]");
}

}  // namespace
}  // namespace heed
