// WordPiece, as in BERT (Devlin et al. 2019): words and punctuation signs, cut into the longest
// known pieces from the left; a piece that does not begin a word is written "##ing".
//
//   normal form   without control characters; without accents and in lower case, if asked for
//   words         what stands between white space; punctuation signs and Chinese characters alone
//   pieces        "walking" -> walk ##ing; a word that cannot be cut, or of more than 100
//                 characters, is the unknown token
//
// Decoding puts a space between words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/split_pattern_internal.h"
#include "heed/text/tokenizer.h"
#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {

struct WordPieceModel {
  std::vector<std::string> tokens;  // by id
  std::vector<AddedToken> added;    // all of them are in `tokens` too
  std::string unknown = "[UNK]";
  std::string prefix = "##";   // of pieces that do not begin a word
  int64_t longest_word = 100;  // in characters
  WordPieceOptions options = {};
};

class WordPieceTokenizer : public VocabularyTokenizer {
 public:
  WordPieceTokenizer(WordPieceModel model, const std::string& name);

  TokenizerKind kind() const override { return TokenizerKind::wordpiece; }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override;
  std::string file_name() const override { return "tokenizer.json"; }
  std::string file_contents() const override;

 protected:
  void encode_text(std::string_view text, std::vector<int32_t>& ids) const override;

 private:
  std::string normal_form(std::string_view text) const;
  void encode_word(std::string_view word, std::vector<int32_t>& ids) const;

  WordPieceModel model_;  // without the tokens
  size_t longest_piece_ = 0;
  SplitPattern words_;
};

// A Hugging Face tokenizer.json of type WordPiece, or a vocab.txt: a token per line.
WordPieceModel read_wordpiece(const nlohmann::json& file, const std::string& name);
WordPieceModel read_wordpiece(std::string_view vocabulary, const WordPieceOptions& options,
                              const std::string& name);
// What tokenizer_config.json, which stands beside a vocab.txt, says about it.
WordPieceOptions read_wordpiece_options(const nlohmann::json& config, const std::string& name);

std::string write_wordpiece(const WordPieceModel& model, const Vocabulary& vocabulary);

}  // namespace heed
