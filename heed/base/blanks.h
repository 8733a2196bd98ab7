// White space in a text.
#pragma once

#include <string_view>

namespace heed {

inline constexpr std::string_view kBlanks = " \t\r\n";

// Only whitespace.
constexpr bool is_blank(std::string_view text, std::string_view blanks = kBlanks) {
  return text.find_first_not_of(blanks) == std::string_view::npos;
}

// Without the whitespace around it.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace heed
