// A hash of a text that is the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/base/random.h"

namespace heed {

// The FNV-1a hash, mixed once more: the last bits of FNV alone are poor.
constexpr uint64_t hash_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix_bits(h);
}

}  // namespace heed
