#include <algorithm>
#include <cstdint>
#include <cstring>

#include "heed/text/utf8.h"

namespace heed {
namespace {

unsigned char byte_at(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// The length that a first byte announces, and the range of the second byte (Unicode, table 3-7: it
// excludes overlong forms, surrogates and values that are too large).
struct Lead {
  size_t bytes;  // 0: cannot begin a code point
  unsigned char low, high;
};

Lead lead(unsigned char c) {
  if (c < 0x80) return {1, 0, 0};
  if (c < 0xc2) return {0, 0, 0};
  if (c < 0xe0) return {2, 0x80, 0xbf};
  if (c == 0xe0) return {3, 0xa0, 0xbf};
  if (c == 0xed) return {3, 0x80, 0x9f};
  if (c < 0xf0) return {3, 0x80, 0xbf};
  if (c == 0xf0) return {4, 0x90, 0xbf};
  if (c < 0xf4) return {4, 0x80, 0xbf};
  if (c == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

// How many bytes of the code point at the beginning are there and right.
size_t right_bytes(std::string_view text, const Lead& first) {
  const size_t available = std::min(first.bytes, text.size());
  for (size_t i = 1; i < available; ++i) {
    const unsigned char c = byte_at(text, i);
    const bool right = i == 1 ? c >= first.low && c <= first.high : (c & 0xc0) == 0x80;
    if (!right) return i;
  }
  return available;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const unsigned char c = byte_at(text, 0);
  if (c < 0x80) return {c, 1, true};
  const Lead first = lead(c);
  if (first.bytes == 0 || right_bytes(text, first) < first.bytes) return {kReplacement, 1, false};
  char32_t value = c & (0xffu >> (first.bytes + 1));
  for (size_t i = 1; i < first.bytes; ++i) value = (value << 6) | (byte_at(text, i) & 0x3fu);
  return {value, first.bytes, true};
}

size_t valid_utf8_bytes(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {  // most text is ASCII
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const CodePoint next = first_code_point(text.substr(at));
    if (!next.valid) break;
    at += next.bytes;
  }
  return at;
}

size_t incomplete_utf8_bytes(std::string_view text) {
  for (size_t count = 1; count <= std::min<size_t>(3, text.size()); ++count) {
    const std::string_view tail = text.substr(text.size() - count);
    const Lead first = lead(byte_at(tail, 0));
    if (first.bytes > count && right_bytes(tail, first) == count) return count;
  }
  return 0;
}

void append_utf8(std::string& text, char32_t value) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0 | (value >> 6));
    put(0x80 | (value & 0x3f));
  } else if (value < 0x10000) {
    put(0xe0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3f));
    put(0x80 | (value & 0x3f));
  } else {
    put(0xf0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3f));
    put(0x80 | ((value >> 6) & 0x3f));
    put(0x80 | (value & 0x3f));
  }
}

std::string_view as_utf8(std::string_view text, std::string& replaced) {
  size_t valid = valid_utf8_bytes(text);
  if (valid == text.size()) return text;
  while (true) {
    replaced += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) return replaced;
    append_utf8(replaced, kReplacement);
    text.remove_prefix(1);
    valid = valid_utf8_bytes(text);
  }
}

bool is_white_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0d) || value == 0x20 || value == 0x85 || value == 0xa0 ||
         value == 0x1680 || (value >= 0x2000 && value <= 0x200a) || value == 0x2028 ||
         value == 0x2029 || value == 0x202f || value == 0x205f || value == 0x3000;
}

}  // namespace heed
