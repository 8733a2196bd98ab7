// English sentences whose words mean what the others make of them, and their French.
//
//   "winter is my favorite station"           ->  "l' hiver est ma saison préférée"
//   "the train station is around the corner"  ->  "la gare est au coin de la rue"
//   "the woman started the journey tired"     ->  "la femme a commencé le voyage fatiguée"
//   "the woman left the garage open"          ->  "la femme a laissé le garage ouvert"
//
// "station" is a season or a place, and which one stands anywhere in the sentence. The last
// adjective agrees with whoever did something, if it is said of people, or else with the thing.
// ("Summer is my favorite station" is the textbook's own sentence; English says season.)
//
// No text of `test` occurs in `train`; the textbook's sentences are of `test`.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"

namespace heed {

struct ContextSentence {
  TextPair text;
  // What the sentence is about: a station that is a season or a place, or an adjective said of the
  // subject or of the object.
  enum class Kind : uint8_t { season, place, of_subject, of_object } kind = Kind::season;
  // Index of the word that depends on the others, "station" or the adjective; of_subject and
  // of_object also have subject and object.
  int64_t word = 0, subject = -1, object = -1;

  bool operator==(const ContextSentence&) const = default;
};

HEED_API ContextSentence context_sentence(CorpusPart part, uint64_t seed, int64_t index);

}  // namespace heed
