#include <functional>
#include <unordered_map>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/frequency_internal.h"
#include "heed/text/split_pattern_internal.h"
#include "heed/text/token_file_internal.h"
#include "heed/text/utf8.h"
#include "heed/text/word_tokenizer_internal.h"

namespace heed {
namespace {

constexpr std::string_view kJoiner = "\uffed";
constexpr std::string_view kSquare = "\u25a0";

const SplitPattern& word_pattern() {
  static const SplitPattern pattern(
      R"([\p{L}\p{M}\p{N}_]+(?:['\x{2019}][\p{L}\p{M}]+)*|\n|[^\t-\r\x{85}\p{Z}])",
      SplitPattern::Gaps::drop, "word tokenizer");
  return pattern;
}

struct Piece {
  std::string_view text;
  bool is_word = false;
  bool is_break = false;
  bool touches_left = false;  // nothing between it and the piece before it
};

// A sign is one code point that the first part of the pattern did not take. Letters and digits are
// those whose piece the pattern would take as well; ASCII, and so nearly every sign, is decided
// here.
bool is_sign(std::string_view text) {
  const CodePoint point = first_code_point(text);
  if (point.bytes != text.size()) return false;
  if (point.value < 128) {
    const auto c = static_cast<unsigned char>(point.value);
    return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z');
  }
  static const SplitPattern letters(R"([\p{L}\p{M}\p{N}])", SplitPattern::Gaps::drop, "word");
  bool is_letter = false;
  letters.split(text, [&](std::string_view) { is_letter = true; });
  return !is_letter;
}

// Calls use(piece, next touches it and is a word) for every piece.
void for_each_piece(std::string_view text, const std::function<void(const Piece&, bool)>& use) {
  Piece held;
  bool holds = false;
  const char* end = nullptr;  // of the piece before
  const auto add = [&](std::string_view part) {
    Piece piece{.text = part, .touches_left = end == part.data()};
    piece.is_break = part == "\n";
    piece.is_word = !piece.is_break && !is_sign(part);
    if (holds) use(held, piece.is_word && piece.touches_left);
    held = piece;
    holds = true;
    end = part.data() + part.size();
  };
  word_pattern().split(text, add);
  if (holds) use(held, false);
}

// The token of a piece, with its joiners.
std::string with_joiners(const Piece& piece, bool left, bool right) {
  if (piece.is_word || piece.is_break) return std::string(piece.text);
  std::string text(left ? kJoiner : "");
  text += piece.text == kJoiner ? kSquare : piece.text;
  if (right) text += kJoiner;
  return text;
}

// A sign never touches a line break: lines are separate already.
struct Joins {
  bool left, right;
};
Joins joins_of(const Piece& piece, bool word_follows, bool after_break) {
  return {piece.touches_left && !after_break, word_follows};
}

}  // namespace

WordTokenizer::WordTokenizer(TokenFile file, const std::string& name)
    : VocabularyTokenizer(std::move(file.vocabulary), file.specials, AddedTokens()) {
  check(specials().unknown.has_value(), "{}: a word tokenizer needs the special token \"unk\"",
        name);
  set_added(AddedTokens(named_tokens(vocabulary(), specials())));
}

void WordTokenizer::encode_text(std::string_view text, std::vector<int32_t>& ids) const {
  std::string replaced;
  bool after_break = false;
  for_each_piece(as_utf8(text, replaced), [&](const Piece& piece, bool word_follows) {
    std::optional<int32_t> id;
    if (piece.is_word || piece.is_break) {
      id = find(piece.text);
    } else {
      const Joins joins = joins_of(piece, word_follows, after_break);
      id = find(with_joiners(piece, joins.left, joins.right));
      if (!id && joins.left) id = find(with_joiners(piece, true, false));
      if (!id && joins.right) id = find(with_joiners(piece, false, true));
      if (!id) id = find(with_joiners(piece, false, false));
    }
    after_break = piece.is_break;
    ids.push_back(id.value_or(*specials().unknown));
  });
}

void WordTokenizer::decode_next(int32_t id, DecodeState& state, std::string& text) const {
  std::string_view word = token(id);
  const bool is_break = word == "\n";
  // A sign with its joiners is at least a joiner and a character.
  const bool left = word.size() > kJoiner.size() && word.starts_with(kJoiner);
  if (left) word.remove_prefix(kJoiner.size());
  const bool right = word.size() > kJoiner.size() && word.ends_with(kJoiner);
  if (right) word.remove_suffix(kJoiner.size());
  if (state.begun && !state.joined && !left && !is_break) text += ' ';
  text += word;
  state.begun = true;
  state.joined = right || is_break;
}

std::string WordTokenizer::file_contents() const {
  return write_token_file(kind(), vocabulary(), specials());
}

std::shared_ptr<const Tokenizer> train_words(std::span<const std::string_view> texts,
                                             int64_t size) {
  std::unordered_map<std::string, int64_t> counts;
  for (const std::string_view text : texts) {
    std::string replaced;
    bool after_break = false;
    for_each_piece(as_utf8(text, replaced), [&](const Piece& piece, bool word_follows) {
      const Joins joins = joins_of(piece, word_follows, after_break);
      ++counts[with_joiners(piece, joins.left, joins.right)];
      after_break = piece.is_break;
    });
  }
  std::vector<CountedToken> tokens;
  tokens.reserve(counts.size());
  for (const auto& [text, count] : counts) tokens.push_back({text, count});
  return std::make_shared<WordTokenizer>(most_frequent(std::move(tokens), size), "word tokenizer");
}

}  // namespace heed
