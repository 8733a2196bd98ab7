// What can be said about the words of context_sentence(), for probes: what their form says, and
// what the others make of them.
//
//   the  woman  left      the  garage  open
//   det  noun   past      det  noun    adjective       form: the class of the word, verbs by tense
//   _    _      let       _    _       masculine       meaning: of words that have several
//
// "station" is a season or a place, "left" is to go, to let or a side, an adjective at the end has
// the gender of what it is said of, as its French has. Other words have no meaning here: "_".
#pragma once

#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/corpora/context_corpus.h"

namespace heed {

struct ContextLabel {
  std::string word, form, meaning;
};

// One per word of the English text.
HEED_API std::vector<ContextLabel> context_labels(const ContextSentence& sentence);

}  // namespace heed
