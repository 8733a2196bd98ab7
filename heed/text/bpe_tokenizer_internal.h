// Byte-level byte-pair encoding, as in GPT-2: a pattern cuts the text into words, the bytes of a
// word are its first tokens, and merges join them.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/bpe_merges_internal.h"
#include "heed/text/split_pattern_internal.h"
#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {

struct BpeSplit {
  std::string pattern;
  SplitPattern::Gaps gaps = SplitPattern::Gaps::keep;
};

// What a tokenizer.json says.
struct BpeModel {
  std::vector<std::string> tokens;  // by id; in GPT-2's alphabet except for the added ones
  std::vector<BpeMerge> merges;
  std::vector<AddedToken> added;  // all of them are in `tokens` too
  std::vector<BpeSplit> splits;   // each cuts the pieces of the one before
  std::optional<int32_t> unknown;
  bool prefix_space = false;   // a space is put before text that begins with something else
  bool ignore_merges = false;  // a word that is a token is that token, whatever the merges say
};

class BpeTokenizer : public VocabularyTokenizer {
 public:
  BpeTokenizer(BpeModel model, const std::string& name);

  TokenizerKind kind() const override { return TokenizerKind::bpe; }
  void decode_next(int32_t id, DecodeState& state, std::string& text) const override;
  std::string file_name() const override { return "tokenizer.json"; }
  std::string file_contents() const override;

 protected:
  void encode_text(std::string_view text, std::vector<int32_t>& ids) const override;

 private:
  struct Scratch;
  void find_whole_words();
  void encode_piece(std::string_view piece, size_t level, Scratch& scratch,
                    std::vector<int32_t>& ids) const;
  void encode_word(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const;
  void bytes_to_ids(std::string_view word, std::vector<int32_t>& ids) const;

  BpeModel model_;  // without the tokens and the merges, which are in:
  BpeMerges merges_;
  std::vector<SplitPattern> splits_;
  std::vector<std::string> bytes_;                             // by id
  std::array<int32_t, 256> byte_ids_{};                        // -1: no token
  std::vector<bool> is_added_;                                 // by id
  std::unordered_map<std::string_view, int32_t> whole_words_;  // views of bytes_
};

// The parts of a Hugging Face tokenizer.json, or of GPT-2's two files, checked.
BpeModel read_bpe(const nlohmann::json& file, const std::string& name);
BpeModel read_bpe(const nlohmann::json& vocabulary, std::string_view merges,
                  const std::string& name);

// The member "pre_tokenizer" of the first: splits, prefix_space.
void read_pre_tokenizer(const nlohmann::json& node, BpeModel& model, const std::string& name);

// A tokenizer.json. The model's own tokens and merges may have been moved elsewhere.
std::string write_bpe(const BpeModel& model, const Vocabulary& vocabulary,
                      std::span<const BpeMerge> merges);

// Learns merges until there are `size` tokens, special ones included, or no pair occurs twice. The
// most frequent pair is merged first; of equally frequent ones, that with the smallest left id,
// then right id. The ids: 256 bytes in GPT-2's order, merges in their order, special tokens.
BpeModel train_bpe(std::span<const std::string_view> texts, int64_t size);

}  // namespace heed
