// The words of a text, for taggers: cut at white space, with punctuation at the edges of a word as
// words of their own.
//
//   He said: "It's 3.5 km."   ->   He said : " It's 3.5 km . "
//
// Inside a word punctuation stays: It's, 3.5, well-known. A text that is cut into words already,
// with spaces between them ("do n't ( ever )"), is split at spaces and tabs only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/base/export.h"

namespace heed {

// Bytes [begin, end) of a text.
struct WordPlace {
  size_t begin, end;
  bool is_mark = false;  // punctuation
};

enum class WordEdges : uint8_t { punctuation, spaces };

HEED_API std::vector<WordPlace> find_words(std::string_view text,
                                           WordEdges edges = WordEdges::punctuation);

}  // namespace heed
