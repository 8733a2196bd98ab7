// Small things about lines, and words for reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/data/findings.h"

namespace heed {

// The byte order mark of UTF-8.
inline constexpr std::string_view kMark = "\xef\xbb\xbf";

// What counts as blank in a line.
inline constexpr std::string_view kLineBlanks = " \t\r\v\f";

// At most this many bytes, not cut within a character.
std::string_view shortened(std::string_view text, size_t bytes);

// "line 4", "lines 4, 7, 9, ..."
std::string at_lines(const Places& places);

}  // namespace heed
