// One Unicode code point is one token. A code point that is not in the vocabulary is the unknown
// token; so is each byte that is not part of UTF-8. The unknown token decodes to U+FFFD.
#pragma once

#include <span>
#include <unordered_map>

#include "heed/text/token_file_internal.h"
#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {

class CharTokenizer : public VocabularyTokenizer {
 public:
  // Each token but the special ones is one code point; there is an unknown token.
  CharTokenizer(TokenFile file, const std::string& name);

  TokenizerKind kind() const override { return TokenizerKind::character; }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override;
  std::string file_name() const override { return "tokenizer.json"; }
  std::string file_contents() const override;

 protected:
  void encode_text(std::string_view text, std::vector<int32_t>& ids) const override;

 private:
  std::unordered_map<char32_t, int32_t> ids_;
  std::vector<int32_t> ascii_;  // [128], the same for the code points that are most frequent
};

// The `size` most frequent code points, special tokens included; 0: all. Equally frequent ones come
// in the order of their numbers.
std::shared_ptr<const Tokenizer> train_characters(std::span<const std::string_view> texts,
                                                  int64_t size);

}  // namespace heed
