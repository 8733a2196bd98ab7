#include "heed/metrics/words_internal.h"
#include "heed/text/utf8.h"

namespace heed {

bool is_python_space(char32_t value) {
  return is_white_space(value) || (value >= 0x1c && value <= 0x1f);
}

std::vector<std::string> white_space_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (is_python_space(point.value)) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      words.back() += text.substr(0, point.bytes);
      inside = true;
    }
    text.remove_prefix(point.bytes);
  }
  return words;
}

std::vector<std::string> visible_characters(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!is_python_space(point.value)) characters.emplace_back(text.substr(0, point.bytes));
    text.remove_prefix(point.bytes);
  }
  return characters;
}

std::vector<int32_t> code_points(std::string_view text, bool keep_white_space) {
  std::vector<int32_t> points;
  points.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.valid) {
      points.push_back(0x110000 + static_cast<unsigned char>(text.front()));
    } else if (keep_white_space || !is_python_space(point.value)) {
      points.push_back(static_cast<int32_t>(point.value));
    }
    text.remove_prefix(point.bytes);
  }
  return points;
}

std::string_view trim_end(std::string_view text) {
  size_t end = 0;  // behind the last code point that is not white space
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    at += point.bytes;
    if (!is_python_space(point.value)) end = at;
  }
  return text.substr(0, end);
}

std::string_view trim(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!is_python_space(point.value)) break;
    text.remove_prefix(point.bytes);
  }
  return trim_end(text);
}

}  // namespace heed
