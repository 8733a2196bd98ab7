#include "heed/text/token_label.h"

#include <fmt/format.h>

#include "heed/text/token_text.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// Some kinds have names of their own for bytes; what they decode is what people wrote.
std::string text_to_show(const Tokenizer& tokenizer, int32_t id) {
  const bool has_bytes =
      tokenizer.kind() == TokenizerKind::bpe || tokenizer.kind() == TokenizerKind::byte;
  if (!has_bytes) return tokenizer.token(id);
  const std::string text = token_text(tokenizer, id);
  return text.empty() ? tokenizer.token(id) : text;
}

}  // namespace

std::string token_label(const Tokenizer& tokenizer, int32_t id) {
  if (id < 0 || id >= tokenizer.size()) return std::to_string(id);
  const std::string text = text_to_show(tokenizer, id);
  std::string label;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(std::string_view(text).substr(at));
    const bool is_control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
    if (point.value == U' ') {
      label += "▁";
    } else if (!point.valid || is_control) {
      for (size_t i = at; i < at + point.bytes; ++i) {
        label += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      }
    } else {
      label.append(text, at, point.bytes);
    }
    at += point.bytes;
  }
  return label.empty() ? tokenizer.token(id) : label;
}

}  // namespace heed
