// Sequences for a model with a fixed input size: cut what is too long, fill what is too short.
//
//   cut    keep the first, the last, or the middle L rows; what is lost is counted
//   fill   rows of zeros up to L, which a mask must exclude
//
// Attention needs neither: with the mask, filling changes nothing; without it, the padding takes
// part of the weight.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

enum class KeepPart : uint8_t { first, last, middle };

struct FittedRows {
  Tensor rows;          // [L, C]
  int64_t valid = 0;    // rows that are not padding
  int64_t dropped = 0;  // rows that were cut off
  int64_t first = 0;    // index of the first kept row
};

// x [n, C] -> [length, C].
HEED_API FittedRows fit_length(const Tensor& x, int64_t length, KeepPart keep = KeepPart::first);

}  // namespace heed
