// What the generated corpora share: dates, noun phrases, reports.
//
// An item is a function of (part, seed, index). No item of one part, of any seed, is in another
// part of any seed: the text, or what it is about, decides by a hash to which it belongs. Nine in
// ten belong to `train`; of the others one in five to `valid`, by which a model may be chosen, and
// the rest to `test`.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

enum class CorpusPart : uint8_t { train, valid, test };

struct TextPair {
  std::string source, target;

  bool operator==(const TextPair&) const = default;
};

}  // namespace heed
