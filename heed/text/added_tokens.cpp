#include <algorithm>
#include <utility>

#include "heed/text/added_tokens_internal.h"
#include "heed/text/utf8.h"

namespace heed {

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.text < b.text; });
  for (const AddedToken& token : tokens_) {
    if (!token.text.empty()) begins_[static_cast<unsigned char>(token.text[0])] = true;
  }
}

// Narrows the sorted list byte by byte to the tokens that begin as the text does.
const AddedToken* AddedTokens::longest_at(std::string_view text) const {
  const AddedToken* longest = nullptr;
  auto low = tokens_.begin();
  auto high = tokens_.end();
  for (size_t i = 0; i < text.size() && low != high; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // A token that ends here sorts before those that go on.
    const auto at = [i](const AddedToken& token) {
      return i < token.text.size() ? static_cast<int>(static_cast<unsigned char>(token.text[i]))
                                   : -1;
    };
    low = std::partition_point(low, high, [&](const AddedToken& t) { return at(t) < byte; });
    high = std::partition_point(low, high, [&](const AddedToken& t) { return at(t) == byte; });
    if (low != high && low->text.size() == i + 1) longest = &*low;
  }
  return longest;
}

std::optional<AddedTokens::Match> AddedTokens::next(std::string_view text, size_t from) const {
  if (tokens_.empty()) return std::nullopt;
  for (size_t begin = from; begin < text.size(); ++begin) {
    if (!begins_[static_cast<unsigned char>(text[begin])]) continue;
    const AddedToken* token = longest_at(text.substr(begin));
    if (token == nullptr) continue;
    Match match{begin, begin + token->text.size(), token->id};
    while (token->strip_left && match.begin > from) {
      size_t previous = match.begin - 1;
      while (previous > from && (static_cast<unsigned char>(text[previous]) & 0xc0) == 0x80) {
        --previous;
      }
      const CodePoint point = first_code_point(text.substr(previous, match.begin - previous));
      if (point.bytes != match.begin - previous || !is_white_space(point.value)) break;
      match.begin = previous;
    }
    while (token->strip_right && match.end < text.size()) {
      const CodePoint point = first_code_point(text.substr(match.end));
      if (!is_white_space(point.value)) break;
      match.end += point.bytes;
    }
    return match;
  }
  return std::nullopt;
}

}  // namespace heed
