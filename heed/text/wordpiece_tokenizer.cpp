#include "heed/text/wordpiece_tokenizer_internal.h"

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/accents_internal.h"
#include "heed/text/lower_case.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// What a sign is for BERT: all of ASCII that is neither letter nor digit, and punctuation.
constexpr char kSigns[] = R"(!-\/:-@\[-`\{-~\p{P})";
constexpr char kSpace[] = R"(\t-\r\x{85}\p{Z})";
// The blocks of Chinese characters.
constexpr char kChinese[] =
    R"(\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}\x{f900}-\x{faff}\x{20000}-\x{2a6df})"
    R"(\x{2a700}-\x{2b81f}\x{2b820}-\x{2ceaf}\x{2f800}-\x{2fa1f})";

// A character that is a word alone, or others up to white space or the next such one.
std::string words_pattern(bool chinese) {
  const std::string alone = std::string(kSigns) + (chinese ? kChinese : "");
  return "[" + alone + "]|[^" + alone + kSpace + "]+";
}

std::string without_control(std::string_view text) {
  static const SplitPattern shown(
      R"([^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\p{Cf}\p{Cs}\p{Co}\p{Cn}\x{fffd}]+)",
      SplitPattern::Gaps::drop, "word pieces");
  std::string result;
  result.reserve(text.size());
  shown.split(text, [&](std::string_view piece) { result += piece; });
  return result;
}

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool begins_character(std::string_view text, size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
}

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(WordPieceModel model, const std::string& name)
    : VocabularyTokenizer(Vocabulary(std::move(model.tokens), name), {}, AddedTokens()),
      words_(words_pattern(model.options.chinese), SplitPattern::Gaps::drop, name) {
  model_ = std::move(model);
  SpecialIds specials = find_specials(vocabulary());
  specials.unknown = find(model_.unknown);
  check(specials.unknown.has_value(), "{}: the unknown token {} is not in the vocabulary", name,
        model_.unknown);
  check(!model_.prefix.empty(), "{}: pieces that do not begin a word need a prefix", name);
  set_specials(specials);
  set_added(AddedTokens(model_.added));
  for (const std::string& token : vocabulary().tokens()) {
    longest_piece_ = std::max(longest_piece_, token.size());
  }
}

std::string WordPieceTokenizer::normal_form(std::string_view text) const {
  std::string replaced;
  const std::string_view valid = as_utf8(text, replaced);
  std::string result = model_.options.clean ? without_control(valid) : std::string(valid);
  if (model_.options.strip_accents) result = strip_accents(result);
  if (model_.options.lower_case) result = lower_case(result);
  return result;
}

void WordPieceTokenizer::encode_word(std::string_view word, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  const auto give_up = [&] {
    ids.resize(before);
    ids.push_back(*specials().unknown);
  };
  if (characters(word) > static_cast<size_t>(model_.longest_word)) return give_up();
  std::string piece;
  for (size_t begin = 0; begin < word.size();) {
    piece = begin == 0 ? "" : model_.prefix;
    const size_t prefix = piece.size();
    size_t end = std::min(word.size(), begin + longest_piece_);
    piece += word.substr(begin, end - begin);
    std::optional<int32_t> id;
    for (; end > begin; --end) {
      piece.resize(prefix + end - begin);
      if (begins_character(word, end)) id = find(piece);
      if (id) break;
    }
    if (!id) return give_up();
    ids.push_back(*id);
    begin = end;
  }
}

void WordPieceTokenizer::encode_text(std::string_view text, std::vector<int32_t>& ids) const {
  words_.split(normal_form(text), [&](std::string_view word) { encode_word(word, ids); });
}

void WordPieceTokenizer::decode_next(int32_t id, DecodeState& state, std::string& text) const {
  std::string_view piece = token(id);
  const bool joins = piece.size() > model_.prefix.size() && piece.starts_with(model_.prefix);
  if (joins) piece.remove_prefix(model_.prefix.size());
  if (state.begun && !joins) text += ' ';
  text += piece;
  state.begun = true;
}

std::string WordPieceTokenizer::file_contents() const {
  return write_wordpiece(model_, vocabulary());
}

}  // namespace heed
