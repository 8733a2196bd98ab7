// English noun phrases and their French translations, with the true alignment of the words.
//
//   "a dangerous old bridge"         ->  "un vieux pont dangereux"
//   "the red car of my sister"       ->  "la voiture rouge de ma sœur"
//   "some big trees"                 ->  "de grands arbres"
//
//   phrase = determiner adjective{0,2} noun [ "of" determiner adjective{0,1} noun ]
//
// English adjectives stand in front, in the order opinion, size, quality, age, color or origin. In
// French big, small, old, new, young, good, bad and beautiful stay in front and the others go
// behind the noun in reverse order. Determiners and adjectives agree with the noun in gender and
// number; le, la, de, ce, ma, beau, nouveau, vieux change before a vowel (l', d', cet, mon, bel,
// nouvel, vieil); de with le and les becomes du and des. Words are separated by single spaces, "l'
// arbre".
//
// No text of `test` occurs in `train`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"

namespace heed {

struct AlignedPair {
  std::string source, target;
  // For each word of the target, the index of the word of the source that it comes from. du and
  // des, which stand for "of the", come from "of".
  std::vector<int32_t> alignment;

  bool operator==(const AlignedPair&) const = default;
};

HEED_API AlignedPair phrase_pair(CorpusPart part, uint64_t seed, int64_t index);

}  // namespace heed
