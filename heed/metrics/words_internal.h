// Text cut into words and characters as sacreBLEU, which is written in Python, cuts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// What Python's str.split() takes as white space: the Unicode property, and U+001C to U+001F.
bool is_python_space(char32_t value);

// The parts between white space.
std::vector<std::string> white_space_words(std::string_view text);

// The code points that are not white space, each as a text of its own.
std::vector<std::string> visible_characters(std::string_view text);

// The code points as numbers; a byte that is not UTF-8 counts as 0x110000 + byte.
std::vector<int32_t> code_points(std::string_view text, bool keep_white_space);

// The text without white space at its end.
std::string_view trim_end(std::string_view text);

// The text without white space at both ends.
std::string_view trim(std::string_view text);

}  // namespace heed
