// Where the words of a text begin among its tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/text/tokenizer.h"

namespace heed::cli {

// For each word of a text, with single spaces between them, which token is its first. A word may
// have several: "l' arbre" is cut into l, ' and arbre.
inline std::vector<int64_t> first_tokens(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<int64_t> first;
  int64_t tokens = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    first.push_back(tokens);
    tokens += static_cast<int64_t>(tokenizer.encode(text.substr(begin, end - begin)).size());
    begin = end + 1;
  }
  return first;
}

}  // namespace heed::cli
