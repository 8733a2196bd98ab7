// A hash of the ids of a corpus.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/token_store.h"

namespace heed {

inline uint64_t fingerprint_of(const TokenStore& tokens) {
  constexpr int64_t kPiece = 1 << 16;
  uint64_t h = mix_bits(static_cast<uint64_t>(tokens.count()));
  for (int64_t at = 0; at < tokens.total(); at += kPiece) {
    const std::vector<int32_t> piece = tokens.range(at, std::min(at + kPiece, tokens.total()));
    for (const int32_t id : piece) h = (h ^ static_cast<uint32_t>(id)) * 0x100000001b3u;
  }
  return mix_bits(h);
}

}  // namespace heed
