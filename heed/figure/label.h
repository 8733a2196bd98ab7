// Labels: how wide they are, and how to shorten them.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// Columns of a terminal that a UTF-8 text takes: 2 for wide characters, 0 for combining ones.
int columns_of(std::string_view text);

// The same of a line that may begin and end colors by escapes, which take no column.
int shown_columns(std::string_view line);

// Valid UTF-8 without control characters, which could steer a terminal and have no place in XML:
// each becomes the replacement character. The functions that cut do this as well.
std::string clean(std::string_view text);

// Cut to this many columns, with an ellipsis where something was left out.
std::string fit_columns(std::string_view text, int columns);

enum class Align : unsigned char { left, center, right };
std::string pad(std::string_view text, int columns, Align align);  // fits and fills with spaces

// Estimated width in pixels of a text in a proportional font; rather too wide than too narrow.
double pixels_of(std::string_view text, double font_size);
std::string fit_pixels(std::string_view text, double font_size, double pixels);

}  // namespace heed
