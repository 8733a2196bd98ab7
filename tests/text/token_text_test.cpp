// What a single token adds to a text.
#include "heed/text/token_text.h"

#include <gtest/gtest.h>

#include "heed/text/train_tokenizer.h"

namespace heed::token_text_test {
namespace {

std::shared_ptr<const Tokenizer> small_tokenizer(TokenizerKind kind, int64_t size = 0) {
  std::string much;
  for (int i = 0; i < 20; ++i) much += "die Straße, die Straße\n";
  const std::string_view texts[] = {much};
  return train_tokenizer(texts, {.kind = kind, .vocab_size = size});
}

std::string parts_of(const Tokenizer& tokenizer, const std::string& text) {
  std::string all;
  for (const int32_t id : tokenizer.encode(text)) all += "[" + token_text(tokenizer, id) + "]";
  return all;
}

TEST(TokenText, InsideAText) {
  EXPECT_EQ(parts_of(*small_tokenizer(TokenizerKind::bpe, 400), "die Straße"), "[die][ Straße]");
  EXPECT_EQ(parts_of(*small_tokenizer(TokenizerKind::word), "die Straße,"), "[ die][ Straße][,]");
  EXPECT_EQ(parts_of(*small_tokenizer(TokenizerKind::character), "e ß"), "[e][ ][ß]");
}

TEST(TokenText, BytesOfACharacterAsTheyAre) {
  EXPECT_EQ(parts_of(*small_tokenizer(TokenizerKind::byte), "aß"), "[a][\xc3][\x9f]");
}

TEST(TokenText, SpecialTokensAndNumbersThatAreNone) {
  const auto bytes = small_tokenizer(TokenizerKind::byte);
  EXPECT_EQ(token_text(*bytes, bytes->specials().eos.value()), "<|eos|>");
  EXPECT_EQ(token_text(*bytes, -1), "");
  EXPECT_EQ(token_text(*bytes, static_cast<int32_t>(bytes->size())), "");
}

}  // namespace
}  // namespace heed::token_text_test
