// Text of others, such as names in a file, in messages and on terminals.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// '?' for every control character but those in `kept`: an escape could clear a terminal, move its
// cursor or set its title. The control characters from U+0080 on are two bytes in UTF-8; other
// bytes stay as they are.
inline std::string printable(std::string_view text, std::string_view kept = {}) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_low = byte < 0x20 || byte == 0x7f;
    const bool is_high = byte == 0xc2 && i + 1 < text.size() &&
                         static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                         static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (is_high) ++i;
    const bool steers = is_high || (is_low && kept.find(text[i]) == std::string_view::npos);
    result += steers ? '?' : text[i];
  }
  return result;
}

}  // namespace heed
