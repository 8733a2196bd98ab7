// Numbers in text, independent of the locale.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "heed/base/blanks.h"
#include "heed/base/printable.h"
#include "heed/tensor/dtype.h"

namespace heed {

// What may stand around a number or a cell.
inline constexpr std::string_view kCellBlanks = " \t\r";

// What the user wrote, short enough for a message and without anything that could steer a terminal.
inline std::string shown(std::string_view text, size_t max = 20) {
  text = trimmed(text, kCellBlanks);
  const bool is_short = text.size() <= max;
  const auto continues = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };  // a character
  while (!is_short && max > 0 && continues(max)) --max;
  const std::string result = printable(text.substr(0, max));
  return is_short ? result : result + "...";
}

// "1", "-2.5e3", "+4", "nan", "-inf", with spaces around; nothing if it is not a number. One that a
// double cannot hold, such as 1e400, is an infinity; range_fault() tells it from a written one.
inline std::optional<double> number_in(std::string_view text) {
  text = trimmed(text, kCellBlanks);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc() ? value : std::numeric_limits<double>::infinity();
}

// What is wrong with a number that is to be stored as `type`, float32 or float64; empty if nothing.
inline std::string_view range_fault(std::string_view text, double value, DType type) {
  const bool has_digits = text.find_first_of("0123456789") != std::string_view::npos;
  if (std::isinf(value)) return has_digits ? "is outside the range of float64" : "";
  const bool fits = type == DType::f64 || !(std::abs(value) > std::numeric_limits<float>::max());
  return fits ? "" : "is too large for float32";
}

// The next piece of `rest` up to `separator`, which is removed as well.
inline std::string_view next_piece(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view piece = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return piece;
}

}  // namespace heed
