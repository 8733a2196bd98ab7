// What all tokenizers share: a vocabulary, special tokens, and cutting the text at them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/text/added_tokens_internal.h"
#include "heed/text/tokenizer.h"
#include "heed/text/vocabulary_internal.h"

namespace heed {

// The names that heed gives to the special tokens it makes.
inline constexpr std::string_view kUnknownName = "<|unk|>";
inline constexpr std::array<std::string_view, 4> kSpecialNames = {"<|bos|>", "<|eos|>", "<|sep|>",
                                                                  "<|cls|>"};

// The special tokens of a vocabulary, by the names that are usual: heed's, GPT-2's "<|endoftext|>"
// (begin and end), SentencePiece's "<s>", BERT's "[CLS]", Llama's "<|begin_of_text|>".
SpecialIds find_specials(const Vocabulary& vocabulary);

// Those of them that `ids` names, as tokens to be found in text.
std::vector<AddedToken> named_tokens(const Vocabulary& vocabulary, const SpecialIds& ids);

class VocabularyTokenizer : public Tokenizer {
 public:
  VocabularyTokenizer(Vocabulary vocabulary, const SpecialIds& specials, AddedTokens added);

  int64_t size() const override { return vocabulary_.size(); }
  const std::string& token(int32_t id) const override { return vocabulary_.token(id); }
  std::optional<int32_t> find(std::string_view token) const override {
    return vocabulary_.find(token);
  }
  const SpecialIds& specials() const override { return specials_; }
  std::vector<int32_t> encode(std::string_view text, SpecialNames names) const override;

 protected:
  // Appends the ids of text without special tokens.
  virtual void encode_text(std::string_view text, std::vector<int32_t>& ids) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const AddedTokens& added() const { return added_; }
  // For constructors that must see the vocabulary first.
  void set_added(AddedTokens added) { added_ = std::move(added); }
  void set_specials(const SpecialIds& specials) { specials_ = specials; }

 private:
  Vocabulary vocabulary_;
  SpecialIds specials_;
  AddedTokens added_;
};

}  // namespace heed
