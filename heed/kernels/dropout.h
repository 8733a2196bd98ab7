// Dropout over rows of float, see ops/dropout.h. The mask is computed, not stored.
#pragma once

#include <cstdint>

#include "heed/base/random.h"

namespace heed::kernels {

// An element is dropped if its random bits are below this: p 2^32, rounded up.
uint32_t dropout_threshold(double p);

// y_nc = scale x_nc if random_bits(keys[n], c) >= threshold, else 0. x: `stride` elements between
// rows; y: [N, C].
struct DropoutRows {
  const float* x;
  int64_t stride;
  int64_t N, C;
  const RandomKey* keys;  // [N]
  uint32_t threshold;
  float scale;
};
void dropout(const DropoutRows& rows, float* y);

}  // namespace heed::kernels
