// One byte is one token: ids 0 to 255 are the bytes, 256 to 259 the special tokens.
#pragma once

#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {

class ByteTokenizer : public VocabularyTokenizer {
 public:
  ByteTokenizer();

  TokenizerKind kind() const override { return TokenizerKind::byte; }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override;
  std::string file_name() const override { return "tokenizer.json"; }
  std::string file_contents() const override;

 protected:
  void encode_text(std::string_view text, std::vector<int32_t>& ids) const override;

 private:
  explicit ByteTokenizer(Vocabulary vocabulary);
};

}  // namespace heed
