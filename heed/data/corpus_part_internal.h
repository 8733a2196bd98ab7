// Which part of a generated corpus something belongs to.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/base/random.h"
#include "heed/data/corpus_part.h"

namespace heed {

// The FNV-1a hash, mixed once more: the last bits of FNV alone are poor.
constexpr uint64_t hash_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix_bits(h);
}

constexpr CorpusPart part_of(uint64_t hash) {
  if (hash % 10 != 0) return CorpusPart::train;
  return hash / 10 % 5 == 0 ? CorpusPart::valid : CorpusPart::test;
}

}  // namespace heed
