// Words, punctuation signs and line breaks are tokens.
//
//   word         letters, marks, digits and '_', with apostrophes inside: don't
//   sign         any other character but white space, each by itself: , ( é is a letter
//   line break   "\n"; other white space only separates
//
// Blanks are not tokens. Instead, a sign carries a joiner (U+FFED) on the side where it touches
// what stands next to it: on its left side if there is no space before it, on its right side if a
// word follows without a space. "Yes (no)." is
//
//   Yes   (J   no   J)   J.          J: the joiner
//
// Words so have one form only, text with single spaces comes back exactly, and text that is
// tokenized already ("Yes , no") stays as it is. A joiner in the text becomes U+25A0, a byte that
// is not UTF-8 becomes U+FFFD, and a word that is not in the vocabulary the unknown token, which
// decodes to its name, "<|unk|>". A sign that is unknown with its joiners is tried with fewer.
#pragma once

#include <span>

#include "heed/text/token_file_internal.h"
#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {

class WordTokenizer : public VocabularyTokenizer {
 public:
  WordTokenizer(TokenFile file, const std::string& name);

  TokenizerKind kind() const override { return TokenizerKind::word; }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override;
  std::string file_name() const override { return "tokenizer.json"; }
  std::string file_contents() const override;

 protected:
  void encode_text(std::string_view text, std::vector<int32_t>& ids) const override;
};

// The `size` most frequent tokens, special ones included; 0: all.
std::shared_ptr<const Tokenizer> train_words(std::span<const std::string_view> texts, int64_t size);

}  // namespace heed
