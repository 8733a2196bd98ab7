// Hashes of what is in a corpus.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/token_store.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

inline uint64_t fingerprint_of(const TokenStore& tokens) {
  constexpr int64_t kPiece = 1 << 16;
  uint64_t h = mix_bits(static_cast<uint64_t>(tokens.count()));
  for (int64_t i = 0; i < tokens.count(); ++i) {
    h = (h ^ static_cast<uint64_t>(tokens.length(i))) * 0x100000001b3u;
  }
  for (int64_t at = 0; at < tokens.total(); at += kPiece) {
    const std::vector<int32_t> piece = tokens.range(at, std::min(at + kPiece, tokens.total()));
    for (const int32_t id : piece) h = (h ^ static_cast<uint32_t>(id)) * 0x100000001b3u;
  }
  return mix_bits(h);
}

// Rows of floats, which must be contiguous.
inline uint64_t fingerprint_of(const Tensor& rows, const Rows& layout) {
  uint64_t h = mix_bits(static_cast<uint64_t>(layout.count()));
  for (int64_t b = 0; b < layout.count(); ++b) {
    h = (h ^ static_cast<uint64_t>(layout.length(b))) * 0x100000001b3u;
  }
  const float* data = rows.data<float>();
  for (int64_t i = 0; i < rows.size(); ++i) {
    h = (h ^ std::bit_cast<uint32_t>(data[i])) * 0x100000001b3u;
  }
  return mix_bits(h);
}

}  // namespace heed
