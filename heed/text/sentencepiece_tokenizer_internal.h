// SentencePiece: a unigram language model or byte-pair encoding over characters, where spaces are
// part of the pieces (U+2581).
#pragma once

#include <memory>
#include <span>

#include "heed/text/vocabulary_tokenizer_internal.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace heed {

// A model file (a protocol buffer) that was checked. SentencePiece trusts some parts of it, so this
// does not: see sentencepiece_model.cpp.
struct SentencePieceModel {
  enum class Type : uint8_t { normal = 1, unknown, control, user_defined, unused, byte };

  std::vector<std::string> pieces;  // by id
  std::vector<Type> types;
  TokenizerKind kind = TokenizerKind::unigram;
  bool strips_first_space = true;         // SentencePiece put a space before the text
  std::string unknown_text = " \u2047 ";  // how the unknown piece is decoded
};
// "<0x0A>": one byte.
bool is_byte_piece(std::string_view piece);
SentencePieceModel read_sentencepiece_model(std::string_view contents, const std::string& name);

class SentencePieceTokenizer : public VocabularyTokenizer {
 public:
  SentencePieceTokenizer(std::string contents, SentencePieceModel model, const std::string& name);
  ~SentencePieceTokenizer() override;

  TokenizerKind kind() const override { return model_.kind; }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override;
  std::string file_name() const override { return "spm.model"; }
  std::string file_contents() const override { return contents_; }

 protected:
  void encode_text(std::string_view text, std::vector<int32_t>& ids) const override;

 private:
  std::string contents_;
  SentencePieceModel model_;       // without the pieces
  std::vector<std::string> text_;  // by id: what it decodes to
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

std::shared_ptr<const Tokenizer> load_sentencepiece(std::string contents, const std::string& name);

// Trains on the lines of the texts. The text is not normalized, spaces are kept as they are, and
// characters that are not in the vocabulary are spelled in bytes, so that text comes back exactly.
std::shared_ptr<const Tokenizer> train_sentencepiece(std::span<const std::string_view> texts,
                                                     TokenizerKind kind, int64_t size);

// SentencePiece writes to stderr unless told not to; heed never prints.
void silence_sentencepiece();

}  // namespace heed
