#include "heed/generate/text_stream.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/text/train_tokenizer.h"

namespace heed {
namespace {

std::shared_ptr<const Tokenizer> learned(std::string_view text, TokenizerKind kind) {
  return train_tokenizer(std::span(&text, 1), {.kind = kind});
}

std::shared_ptr<const Tokenizer> bytes() { return learned("a", TokenizerKind::byte); }

// The pieces in which the text comes when its bytes are pushed one by one; "|" at the end stands
// before what finish() gives.
std::string shown(const std::string& text, const std::vector<std::string>& stops) {
  const auto tokenizer = bytes();
  TextStream stream(tokenizer, stops);
  std::string result;
  for (const int32_t id : tokenizer->encode(text, SpecialNames::are_text)) {
    result += stream.push(id) + ".";
    if (stream.stopped()) break;
  }
  return result + "|" + stream.finish();
}

TEST(TextStream, ShowsWholeCharacters) {
  EXPECT_EQ(shown("aé", {}), "a..é.|");
  EXPECT_EQ(shown("€x", {}), "..€.x.|");
  EXPECT_EQ(shown("a\xe2\x82", {}), "a...|\xe2\x82");
  EXPECT_EQ(shown("\xff"
                  "a",
                  {}),
            "\xff.a.|");
}

TEST(TextStream, EndsBeforeAStopString) {
  EXPECT_EQ(shown("ab END cd", {"END"}), "a.b. ....|");
  EXPECT_EQ(shown("ab EN cd", {"END"}), "a.b. ...EN .c.d.|");
  EXPECT_EQ(shown("EEND", {"END"}), ".E...|");
  EXPECT_EQ(shown("xE", {"END"}), "x..|E");
  EXPECT_EQ(shown("abcx", {"cx", "bcd"}), "a...b.|");
  EXPECT_EQ(shown("abcd", {"c", "bc"}), "a...|");  // both are complete: before the first
  EXPECT_EQ(shown("a\n\nb", {"\n\n"}), "a...|");
}

TEST(TextStream, TextBeforeDecidesAboutBlanks) {
  const auto tokenizer = learned("the red car the blue car", TokenizerKind::word);
  TextStream stream(tokenizer);
  stream.skip(tokenizer->encode("the red"));
  EXPECT_EQ(stream.push(tokenizer->find("car").value()), " car");
}

TEST(TextStream, Mistakes) {
  EXPECT_THROW(TextStream(bytes(), {""}), Error);
  EXPECT_THROW(TextStream(nullptr), Error);
}

}  // namespace
}  // namespace heed
