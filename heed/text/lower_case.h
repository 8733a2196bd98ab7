// Text in lower case, by the simple case mappings of Unicode 14.
//
// One character becomes one character, except U+0130 (I with dot), which becomes i and a combining
// dot. A capital sigma becomes the common small sigma also at the end of a word. Bytes that are not
// UTF-8 stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace heed {

char32_t lower_case(char32_t value);

std::string lower_case(std::string_view text);

}  // namespace heed
