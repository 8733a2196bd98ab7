// What the generated corpora share: dates, noun phrases, reports.
//
// An item is a function of (part, seed, index). No item of `test`, of any seed, is in `train` of
// any seed: the text, or what it is about, decides by a hash to which part it belongs. One in ten
// belongs to `test`.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

enum class CorpusPart : uint8_t { train, test };

struct TextPair {
  std::string source, target;

  bool operator==(const TextPair&) const = default;
};

}  // namespace heed
