// Which part of a generated corpus something belongs to.
#pragma once

#include <cstdint>

#include "heed/base/hash_text.h"
#include "heed/corpora/corpus_part.h"

namespace heed {

constexpr CorpusPart part_of(uint64_t hash) {
  if (hash % 10 != 0) return CorpusPart::train;
  return hash / 10 % 5 == 0 ? CorpusPart::valid : CorpusPart::test;
}

}  // namespace heed
