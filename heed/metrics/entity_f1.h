// Precision, recall and F1 of entities, as conlleval of CoNLL-2000 and CoNLL-2003 counts them.
//
//   a tag is O, outside, or PREFIX-TYPE: B begin, I inside, E end, S single
//   an entity is correct if an expected one has the same first and last token and the same type
//   precision = correct / found, recall = correct / expected, F1 = their harmonic mean
//
// One rule reads IOB1, IOB2 and IOBES, and sequences that no scheme allows. A token that is not
// outside begins an entity if
//
//   its prefix is B or S, or it is the first of the sentence, or the token before it is outside,
//   ends its entity (E or S), or has another type
//
// and otherwise continues the entity before it. The type is what follows the first hyphen.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/metrics/precision_recall.h"
#include "heed/metrics/proportion.h"

namespace heed {

struct Entity {
  std::string type;
  int64_t begin = 0;  // first token
  int64_t end = 0;    // behind the last token

  bool operator==(const Entity&) const = default;
};

struct HEED_API EntityCounts {
  int64_t correct = 0;
  int64_t found = 0;     // predicted
  int64_t expected = 0;  // in the reference

  PrecisionRecall scores() const { return precision_recall(correct, found, expected); }
};

struct EntityScore {
  EntityCounts all;
  std::map<std::string, EntityCounts> types;  // every type that occurs on either side
  Proportion tags;                            // tokens whose tag is right
};

// The entities of one sentence, in order.
HEED_API std::vector<Entity> entities(std::span<const std::string> tags);

// predicted[i] and expected[i] are the tags of one sentence.
HEED_API EntityScore entity_f1(std::span<const std::vector<std::string>> predicted,
                               std::span<const std::vector<std::string>> expected);

}  // namespace heed
