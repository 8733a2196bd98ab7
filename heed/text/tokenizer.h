// Text to token ids and back.
//
//   const auto tokenizer = load_tokenizer("run/");          // a folder or a file
//   const std::vector<int32_t> ids = tokenizer->encode("Once upon");
//   const std::string text = tokenizer->decode(ids);
//
// A tokenizer never changes after it was made, so that threads may share it. Ids are 0 to size() -
// 1 without gaps. What decode(encode(text)) keeps depends on the kind:
//
//   byte, bpe            every byte string comes back as it was
//   character            text in UTF-8 whose characters are known; others become the unknown token
//   word                 words that are known, spaced by single spaces, and line breaks
//   unigram, sentencepiece_bpe
//                        (SentencePiece, trained by heed) text in UTF-8 without U+2581
//   wordpiece            (BERT, not trained by heed) words and signs with a space between each
//                        two, as the normal form has them
//
// Bytes that are not UTF-8 count as U+FFFD in the last four.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"

namespace heed {

enum class TokenizerKind : uint8_t {
  byte,
  character,
  word,
  bpe,
  unigram,
  sentencepiece_bpe,
  wordpiece
};

// "byte", "char", "word", "bpe", "spm", "spm-bpe", "wordpiece".
HEED_API std::string_view name(TokenizerKind kind);

// The tokens with a task of their own. A tokenizer trained by heed has all of them, except that
// byte and bpe know every text and need no unknown token; a foreign one has what its file names.
struct SpecialIds {
  std::optional<int32_t> unknown;
  std::optional<int32_t> bos;        // beginning of sequence
  std::optional<int32_t> eos;        // end of sequence
  std::optional<int32_t> separator;  // between source and target
  std::optional<int32_t> cls;        // whose hidden state stands for the sequence
};

// What encode() does with the name of a special token in the text, such as "<|eos|>": take it as
// that token, or as the characters that it consists of. (SentencePiece always does the second.)
enum class SpecialNames : uint8_t { are_tokens, are_text };

// What decoding remembers from one id to the next.
struct DecodeState {
  bool begun = false;   // something was decoded
  bool joined = false;  // no space before the next word
};

class HEED_API Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual TokenizerKind kind() const = 0;
  virtual int64_t size() const = 0;

  // A token as its file writes it ("Ġthe", "▁the", "<|eos|>").
  virtual const std::string& token(int32_t id) const = 0;
  virtual std::optional<int32_t> find(std::string_view token) const = 0;
  virtual const SpecialIds& specials() const = 0;

  virtual std::vector<int32_t> encode(std::string_view text,
                                      SpecialNames names = SpecialNames::are_tokens) const = 0;

  std::string decode(std::span<const int32_t> ids) const;

  // Appends the text of one more id. The bytes of one character may be spread over several ids;
  // StreamDecoder holds them back until the character is complete.
  virtual void decode_next(int32_t id, DecodeState& state, std::string& text) const = 0;

  // The tokenizer as a file: docs/formats.md describes each kind.
  virtual std::string file_name() const = 0;  // "tokenizer.json" or "spm.model"
  virtual std::string file_contents() const = 0;
  // The tokenizer_config.json that belongs beside it; empty: none.
  virtual std::string config_contents() const { return {}; }

  // Writes the files into a folder, which is made if it does not exist; returns the path of the
  // first. What a former save() wrote there and this one does not is removed.
  std::string save(const std::string& folder) const;
};

// Text as it is generated: each call returns what can be shown already.
class HEED_API StreamDecoder {
 public:
  explicit StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer);

  std::string push(int32_t id);
  std::string finish();  // bytes that wait for the rest of a character that did not come

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  DecodeState state_;
  std::string waiting_;
};

// The tokens that begin and end a text.
struct BosEos {
  std::optional<int32_t> bos, eos;  // none: as the tokenizer has it
};
HEED_API std::shared_ptr<const Tokenizer> with_bos_eos(std::shared_ptr<const Tokenizer> tokenizer,
                                                       const BosEos& ends);

// A file, or a folder with one of: tokenizer.json, spm.model, tokenizer.model (SentencePiece),
// vocab.json with merges.txt, encoder.json with vocab.bpe (GPT-2), vocab.txt (BERT). A
// tokenizer_config.json beside it may say which tokens begin and end a text, and explain vocab.txt.
HEED_API std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path);

// The file that save() has written into a folder; empty if there is none.
HEED_API std::string saved_tokenizer(const std::string& folder);

// tokenizer.json or a SentencePiece model from memory; `name` stands for the file in messages.
HEED_API std::shared_ptr<const Tokenizer> parse_tokenizer(std::string_view contents,
                                                          const std::string& name);

// GPT-2's two files: a vocabulary {"token": id, ...} and lines "left right" of merges.
HEED_API std::shared_ptr<const Tokenizer> parse_bpe(std::string_view vocabulary,
                                                    std::string_view merges,
                                                    const std::string& name);

// What WordPiece does to a text before it looks for words.
struct WordPieceOptions {
  bool clean = true;          // control characters are left out
  bool chinese = true;        // every Chinese character is a word
  bool strip_accents = true;  // "\u00e9" is read as "e"
  bool lower_case = true;
};

// BERT's vocab.txt: a token per line.
HEED_API std::shared_ptr<const Tokenizer> parse_wordpiece(std::string_view vocabulary,
                                                          const WordPieceOptions& options,
                                                          const std::string& name);

}  // namespace heed
