// What a model wrote, as one line of a file or of a terminal.
#pragma once

#include <string>
#include <string_view>

#include "heed/text/utf8.h"

namespace heed {

// Blanks for line breaks and tabs, U+FFFD for bytes that are not UTF-8.
inline std::string on_one_line(std::string_view text) {
  std::string replaced;
  std::string line(as_utf8(text, replaced));
  for (char& c : line) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  return line;
}

}  // namespace heed
