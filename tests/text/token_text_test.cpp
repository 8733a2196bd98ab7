// What a single token adds to a text.
#include "heed/text/token_text.h"

#include <gtest/gtest.h>

#include "tests/text/samples.h"

namespace heed::token_text_test {
namespace {

const std::string kStreets = repeated("die Straße, die Straße\n", 20);

std::string parts_of(const Tokenizer& tokenizer, const std::string& text) {
  std::string all;
  for (const int32_t id : tokenizer.encode(text)) all += "[" + token_text(tokenizer, id) + "]";
  return all;
}

TEST(TokenText, InsideAText) {
  EXPECT_EQ(parts_of(*trained(TokenizerKind::bpe, 400, kStreets), "die Straße"), "[die][ Straße]");
  EXPECT_EQ(parts_of(*trained(TokenizerKind::word, 0, kStreets), "die Straße,"),
            "[ die][ Straße][,]");
  EXPECT_EQ(parts_of(*trained(TokenizerKind::character, 0, kStreets), "e ß"), "[e][ ][ß]");
}

TEST(TokenText, BytesOfACharacterAsTheyAre) {
  EXPECT_EQ(parts_of(*trained(TokenizerKind::byte, 0, kStreets), "aß"), "[a][\xc3][\x9f]");
}

TEST(TokenText, SpecialTokensAndNumbersThatAreNone) {
  const auto bytes = trained(TokenizerKind::byte, 0, kStreets);
  EXPECT_EQ(token_text(*bytes, bytes->specials().eos.value()), "<|eos|>");
  EXPECT_EQ(token_text(*bytes, -1), "");
  EXPECT_EQ(token_text(*bytes, static_cast<int32_t>(bytes->size())), "");
}

}  // namespace
}  // namespace heed::token_text_test
