#include "heed/text/words.h"

#include <algorithm>

#include "heed/text/utf8.h"

namespace heed {
namespace {

// Characters that are words of their own at the edges of others.
bool is_punctuation(char32_t c) {
  if (c < 0x80) {
    return std::string_view(".,;:!?()[]{}\"'`").find(static_cast<char>(c)) !=
           std::string_view::npos;
  }
  const bool is_quote = c >= 0x2018 && c <= 0x201f;
  return is_quote || c == 0xa1 || c == 0xab || c == 0xbb || c == 0xbf || c == 0x2026 ||
         c == 0x2039 || c == 0x203a || (c >= 0x3001 && c <= 0x3002);
}

void add_word(std::string_view text, size_t begin, size_t end, WordEdges edges,
              std::vector<WordPlace>& words) {
  std::vector<WordPlace> letters;  // each character
  for (size_t at = begin; at < end;) {
    const size_t bytes = first_code_point(text.substr(at, end - at)).bytes;
    letters.push_back({at, at + bytes});
    at += bytes;
  }
  const auto is_mark = [&](const WordPlace& letter) {
    return is_punctuation(
        first_code_point(text.substr(letter.begin, letter.end - letter.begin)).value);
  };
  for (WordPlace& letter : letters) letter.is_mark = is_mark(letter);
  if (edges == WordEdges::spaces) {
    const bool is_mark_alone = std::ranges::all_of(letters, &WordPlace::is_mark);
    if (begin < end) words.push_back({begin, end, is_mark_alone});
    return;
  }
  size_t first = 0, last = letters.size();
  while (first < last && letters[first].is_mark) words.push_back(letters[first++]);
  while (last > first && letters[last - 1].is_mark) --last;
  if (first < last) words.push_back({letters[first].begin, letters[last - 1].end});
  words.insert(words.end(), letters.begin() + static_cast<ptrdiff_t>(last), letters.end());
}

}  // namespace

std::vector<WordPlace> find_words(std::string_view text, WordEdges edges) {
  std::vector<WordPlace> words;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint next = first_code_point(text.substr(at));
    const bool is_blank = next.value == ' ' || (next.value >= '\t' && next.value <= '\r');
    if (edges == WordEdges::spaces ? is_blank : is_white_space(next.value)) {
      add_word(text, begin, at, edges, words);
      begin = at + next.bytes;
    }
    at += next.bytes;
  }
  add_word(text, begin, text.size(), edges, words);
  return words;
}

}  // namespace heed
