#include <fmt/format.h>

#include <utility>

#include "heed/text/byte_tokenizer_internal.h"
#include "heed/text/token_file_internal.h"

namespace heed {
namespace {

// Printable ASCII as it is, other bytes as SentencePiece writes them: <0x0A>.
Vocabulary byte_vocabulary() {
  std::vector<std::string> tokens;
  tokens.reserve(256 + kSpecialNames.size());
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(byte > 0x20 && byte < 0x7f ? std::string(1, static_cast<char>(byte))
                                                : fmt::format("<0x{:02X}>", byte));
  }
  tokens.insert(tokens.end(), kSpecialNames.begin(), kSpecialNames.end());
  return {std::move(tokens), "byte tokenizer"};
}

}  // namespace

ByteTokenizer::ByteTokenizer() : ByteTokenizer(byte_vocabulary()) {}

ByteTokenizer::ByteTokenizer(Vocabulary vocabulary)
    : VocabularyTokenizer(std::move(vocabulary),
                          {.unknown = {}, .bos = 256, .eos = 257, .separator = 258, .cls = 259},
                          AddedTokens({{.text = "<|bos|>", .id = 256},
                                       {.text = "<|eos|>", .id = 257},
                                       {.text = "<|sep|>", .id = 258},
                                       {.text = "<|cls|>", .id = 259}})) {}

void ByteTokenizer::encode_text(std::string_view text, std::vector<int32_t>& ids) const {
  ids.reserve(ids.size() + text.size());
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
}

void ByteTokenizer::decode_next(int32_t id, DecodeState& state, std::string& text) const {
  state.begun = true;
  if (id >= 0 && id < 256) {
    text += static_cast<char>(id);
  } else {
    text += token(id);
  }
}

std::string ByteTokenizer::file_contents() const {
  return write_token_file(kind(), vocabulary(), specials());
}

}  // namespace heed
