// Small things about lines, and words for reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/data/findings.h"

namespace heed {

// The byte order mark of UTF-8.
inline constexpr std::string_view kMark = "\xef\xbb\xbf";

// Nothing but blanks.
bool is_blank(std::string_view line);

// Without blanks and tabs around it.
std::string_view without_blanks(std::string_view text);

// At most so many bytes, not cut within a character.
std::string_view shortened(std::string_view text, size_t bytes);

// "line 4", "lines 4, 7, 9, ..."
std::string at_lines(const Places& places);

// "1 line", "3 lines"
std::string counted(int64_t count, std::string_view one, std::string_view many);

}  // namespace heed
