#include <utility>

#include "heed/base/fail.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/byte_alphabet_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// Words longer than this are not worth remembering: they hardly come twice.
constexpr size_t kLongestRemembered = 64;
// Text shorter than this is encoded without remembering words.
constexpr size_t kShortText = 4096;
// The memory of one call is emptied when it has this many words.
constexpr size_t kMaxCached = 1 << 17;

// The special tokens among those that the file adds, or that it has by their usual names.
SpecialIds bpe_specials(const Vocabulary& vocabulary, const BpeModel& model) {
  SpecialIds ids = find_specials(vocabulary);
  ids.unknown = model.unknown;
  return ids;
}

}  // namespace

// What one call of encode() remembers; the tokenizer itself never changes.
struct BpeTokenizer::Scratch {
  std::vector<int32_t> word;
  bool remembers = false;
  struct Range {
    size_t begin, count;
  };
  std::unordered_map<std::string_view, Range> ranges;  // of `known`, by word
  std::vector<int32_t> known;
};

BpeTokenizer::BpeTokenizer(BpeModel model, const std::string& name)
    : VocabularyTokenizer(Vocabulary(std::move(model.tokens), name), {}, AddedTokens()),
      merges_(std::move(model.merges)) {
  model_ = std::move(model);
  set_specials(bpe_specials(vocabulary(), model_));
  for (const BpeSplit& split : model_.splits) splits_.emplace_back(split.pattern, split.gaps, name);
  is_added_.assign(static_cast<size_t>(size()), false);
  for (const AddedToken& token : model_.added) is_added_[token.id] = true;
  set_added(AddedTokens(model_.added));
  byte_ids_.fill(-1);
  bytes_.reserve(static_cast<size_t>(size()));
  for (int32_t id = 0; id < size(); ++id) {
    const bool is_added = is_added_[id];
    // A character outside the alphabet can only be meant as it is.
    const auto decoded = is_added ? std::nullopt : from_alphabet(token(id));
    bytes_.push_back(decoded.value_or(token(id)));
    if (decoded && decoded->size() == 1) byte_ids_[static_cast<unsigned char>((*decoded)[0])] = id;
  }
  find_whole_words();
}

// Most words of a text are tokens: those that the merges lead to are found without merging.
void BpeTokenizer::find_whole_words() {
  std::vector<int32_t> word;
  for (int32_t id = 0; id < size(); ++id) {
    const auto at = static_cast<size_t>(id);
    if (is_added_[at]) continue;
    word.clear();
    bool possible = true;
    for (const char c : bytes_[at]) {
      word.push_back(byte_ids_[static_cast<unsigned char>(c)]);
      possible = possible && word.back() >= 0;
    }
    if (possible && !model_.ignore_merges) merges_.apply(word);
    if (model_.ignore_merges || (possible && word.size() == 1 && word[0] == id)) {
      whole_words_.emplace(bytes_[at], id);
    }
  }
}

void BpeTokenizer::bytes_to_ids(std::string_view word, std::vector<int32_t>& ids) const {
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    int32_t id = byte_ids_[byte];
    if (id < 0) {
      check(specials().unknown.has_value(),
            "tokenizer: byte 0x{:02x} is not in the vocabulary, and there is no unknown token",
            byte);
      id = *specials().unknown;
    }
    ids.push_back(id);
  }
}

void BpeTokenizer::encode_word(std::string_view word, Scratch& scratch,
                               std::vector<int32_t>& ids) const {
  if (const auto whole = whole_words_.find(word); whole != whole_words_.end()) {
    ids.push_back(whole->second);
    return;
  }
  const bool remembers = scratch.remembers && word.size() <= kLongestRemembered;
  if (remembers) {
    if (const auto found = scratch.ranges.find(word); found != scratch.ranges.end()) {
      const int32_t* begin = scratch.known.data() + found->second.begin;
      ids.insert(ids.end(), begin, begin + found->second.count);
      return;
    }
  }
  scratch.word.clear();
  bytes_to_ids(word, scratch.word);
  merges_.apply(scratch.word);
  ids.insert(ids.end(), scratch.word.begin(), scratch.word.end());
  if (!remembers) return;
  if (scratch.ranges.size() >= kMaxCached) {
    scratch.ranges.clear();
    scratch.known.clear();
  }
  scratch.ranges.emplace(word, Scratch::Range{scratch.known.size(), scratch.word.size()});
  scratch.known.insert(scratch.known.end(), scratch.word.begin(), scratch.word.end());
}

void BpeTokenizer::encode_piece(std::string_view piece, size_t level, Scratch& scratch,
                                std::vector<int32_t>& ids) const {
  if (level == splits_.size()) {
    encode_word(piece, scratch, ids);
  } else {
    splits_[level].split(
        piece, [&](std::string_view part) { encode_piece(part, level + 1, scratch, ids); });
  }
}

void BpeTokenizer::encode_text(std::string_view text, std::vector<int32_t>& ids) const {
  Scratch scratch;
  scratch.remembers = text.size() >= kShortText;
  std::string prefixed;
  if (model_.prefix_space && !is_white_space(first_code_point(text).value)) {
    prefixed.reserve(text.size() + 1);
    prefixed += ' ';
    prefixed += text;
    text = prefixed;
  }
  encode_piece(text, 0, scratch, ids);
}

void BpeTokenizer::decode_next(int32_t id, DecodeState& state, std::string& text) const {
  (void)token(id);  // checks the id
  state.begun = true;
  text += bytes_[id];
}

std::string BpeTokenizer::file_contents() const {
  return write_bpe(model_, vocabulary(), merges_.list());
}

}  // namespace heed
