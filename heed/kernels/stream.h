// How the fast loops write their results.
#pragma once

#include <cstdint>

namespace heed::kernels {

enum class Store : uint8_t {
  plain,
  stream,  // past the caches: no line is read before it is overwritten
};

// Outputs of this many bytes do not stay in the caches anyway.
inline constexpr int64_t kStreamBytes = int64_t{8} << 20;

// The way for an output of `bytes` in all, written in pieces that start every `step` elements of
// float at y.
inline Store store_for(const float* y, int64_t step, int64_t bytes) {
  const bool aligned = reinterpret_cast<uintptr_t>(y) % 64 == 0 && step % 16 == 0;
  return aligned && bytes >= kStreamBytes ? Store::stream : Store::plain;
}

}  // namespace heed::kernels
