#include "heed/text/byte_alphabet_internal.h"

#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr char32_t kOthers = 0x100;  // the first character that stands for another byte

bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) ||
         (byte >= 0xae && byte <= 0xff);
}

struct Alphabet {
  std::array<unsigned char, 256> order{};
  std::array<std::string, 256> text;
  std::array<unsigned char, 256> others{};  // the byte of U+0100 + i
  size_t other_count = 0;

  Alphabet() {
    size_t count = 0;
    for (int byte = 0; byte < 256; ++byte) {
      if (!stands_for_itself(byte)) continue;
      order[count++] = static_cast<unsigned char>(byte);
      append_utf8(text[byte], static_cast<char32_t>(byte));
    }
    for (int byte = 0; byte < 256; ++byte) {
      if (stands_for_itself(byte)) continue;
      order[count++] = static_cast<unsigned char>(byte);
      append_utf8(text[byte], kOthers + static_cast<char32_t>(other_count));
      others[other_count++] = static_cast<unsigned char>(byte);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

const std::array<unsigned char, 256>& alphabet_order() { return alphabet().order; }

std::string to_alphabet(std::string_view bytes) {
  std::string token;
  for (const char c : bytes) token += alphabet().text[static_cast<unsigned char>(c)];
  return token;
}

std::optional<std::string> from_alphabet(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const CodePoint point = first_code_point(token);
    if (point.value < 256 && stands_for_itself(static_cast<int>(point.value))) {
      bytes += static_cast<char>(point.value);
    } else if (point.value >= kOthers && point.value < kOthers + alphabet().other_count) {
      bytes += static_cast<char>(alphabet().others[point.value - kOthers]);
    } else {
      return std::nullopt;
    }
    token.remove_prefix(point.bytes);
  }
  return bytes;
}

}  // namespace heed
