#include <gtest/gtest.h>

#include <cstdint>

#include "heed/text/utf8.h"

namespace heed {
namespace {

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t value = 0; value <= 0x10ffff; ++value) {
    if (value >= 0xd800 && value <= 0xdfff) continue;  // surrogates are not code points of text
    std::string text;
    append_utf8(text, value);
    const CodePoint point = first_code_point(text);
    ASSERT_TRUE(point.valid) << static_cast<uint32_t>(value);
    ASSERT_EQ(point.value, value);
    ASSERT_EQ(point.bytes, text.size());
    ASSERT_EQ(valid_utf8_bytes(text), text.size());
    for (size_t cut = 1; cut < text.size(); ++cut) {
      ASSERT_EQ(incomplete_utf8_bytes(std::string_view(text).substr(0, cut)), cut)
          << static_cast<uint32_t>(value);
    }
    ASSERT_EQ(incomplete_utf8_bytes(text), 0u);
  }
}

TEST(Utf8, WhatIsNotUtf8) {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5", "\xff", "\xe2\x82", "\xe2\x82x", "\xc3"}) {
    const CodePoint point = first_code_point(text);
    EXPECT_FALSE(point.valid);
    EXPECT_EQ(point.value, kReplacement);
    EXPECT_EQ(point.bytes, 1u);
    EXPECT_EQ(valid_utf8_bytes("12345678 é" + std::string(text)), 11u);
  }
  EXPECT_EQ(incomplete_utf8_bytes("\xed\xa0"), 0u);  // cannot become valid
  EXPECT_EQ(incomplete_utf8_bytes("\xff"), 0u);
}

}  // namespace
}  // namespace heed
