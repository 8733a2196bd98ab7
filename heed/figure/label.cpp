#include <algorithm>
#include <cstdint>

#include "heed/figure/label.h"

namespace heed {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct Character {
  char32_t code;
  std::string_view bytes;
};

// Takes one character from the front. A byte that is not UTF-8, and a control character, which
// could steer a terminal and is not allowed in XML, come out as the replacement character.
Character next_character(std::string_view& text) {
  constexpr char32_t kFirstOfLength[] = {0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  char32_t code = length == 1 ? first : first & (0xffu >> (length + 1));
  bool valid = (first < 0x80 || first >= 0xc0) && first < 0xf8 && length <= text.size();
  for (size_t i = 1; valid && i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    valid = (next & 0xc0) == 0x80;
    code = (code << 6) | (next & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe ||
                       code == 0xffff || code > 0x10ffff;
  if (!valid || code < kFirstOfLength[length - 1] || surrogate || control) {
    text.remove_prefix(valid ? length : 1);
    return {0xfffd, kReplacement};
  }
  const std::string_view bytes = text.substr(0, length);
  text.remove_prefix(length);
  return {code, bytes};
}

bool is_combining(char32_t c) {
  return (c >= 0x300 && c <= 0x36f) || c == 0x200b || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f);
}

// Roughly the East Asian wide characters and the pictographs.
bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
         (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

int columns(char32_t c) { return is_combining(c) ? 0 : is_wide(c) ? 2 : 1; }

// In parts of the font size.
double em(char32_t c) {
  if (is_combining(c)) return 0;
  if (is_wide(c)) return 1.05;
  if (c >= 0x80) return 0.7;
  if (std::string_view("ijl.,:;'|!()[] ").find(static_cast<char>(c)) != std::string_view::npos) {
    return 0.36;
  }
  if (std::string_view("mwMW@%").find(static_cast<char>(c)) != std::string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.7 : 0.61;
}

// Keeps what fits into `room`, the last piece of which goes to the ellipsis if something is cut.
template <typename Width>
std::string cut(std::string_view text, double room, double ellipsis, const Width& width) {
  std::string result;
  std::string kept;  // what fits beside an ellipsis
  double used = 0;
  while (!text.empty()) {
    const Character c = next_character(text);
    used += width(c.code);
    if (used > room) return kept + "…";
    result += c.bytes;
    if (used + ellipsis <= room) kept = result;
  }
  return result;
}

}  // namespace

int shown_columns(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = std::min(line.find('m', i), line.size() - 1);
    } else {
      text += line[i];
    }
  }
  return columns_of(text);
}

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) result += next_character(text).bytes;
  return result;
}

int columns_of(std::string_view text) {
  int result = 0;
  while (!text.empty()) result += columns(next_character(text).code);
  return result;
}

std::string fit_columns(std::string_view text, int count) {
  if (count <= 0) return "";
  return cut(text, count, 1, [](char32_t c) { return columns(c); });
}

std::string pad(std::string_view text, int count, Align align) {
  const std::string fitted = fit_columns(text, count);
  const int blanks = std::max(0, count - columns_of(fitted));
  const int before = align == Align::left ? 0 : align == Align::right ? blanks : blanks / 2;
  return std::string(static_cast<size_t>(before), ' ') + fitted +
         std::string(static_cast<size_t>(blanks - before), ' ');
}

double pixels_of(std::string_view text, double font_size) {
  double result = 0;
  while (!text.empty()) result += em(next_character(text).code);
  return result * font_size;
}

std::string fit_pixels(std::string_view text, double font_size, double pixels) {
  return cut(text, std::max(pixels / font_size, 0.0), 1.0, em);
}

}  // namespace heed
