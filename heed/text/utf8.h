// UTF-8, one code point at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

inline constexpr char32_t kReplacement = 0xfffd;

struct CodePoint {
  char32_t value;  // U+FFFD if not valid
  size_t bytes;    // 1 if not valid
  bool valid;
};

// The first code point of a text that is not empty. Overlong forms, surrogates and values above
// U+10FFFF are not valid.
CodePoint first_code_point(std::string_view text);

// The number of bytes before the first one that is not part of a valid code point.
size_t valid_utf8_bytes(std::string_view text);

// The number of bytes at the end that begin a code point and wait for the rest of it.
size_t incomplete_utf8_bytes(std::string_view text);

void append_utf8(std::string& text, char32_t value);

// The text with U+FFFD for every byte that is not part of a code point; in `replaced` if there is
// one.
std::string_view as_utf8(std::string_view text, std::string& replaced);

// The Unicode property White_Space.
bool is_white_space(char32_t value);

}  // namespace heed
