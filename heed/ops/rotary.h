// Rotary positions: every pair of numbers of a head turns by an angle proportional to its position,
// so that the product of a query and a key depends on the distance between them.
//
//   forward   (a, b) -> (a cos t - b sin t, b cos t + a sin t)      t = p base^(-2i/R)
//   backward  the same with -t
//
//   x, y : [N, H, D]     p : the position of the row     i : the number of the pair, 0 .. R/2 - 1
//
//   only the first R numbers of each head turn, the others are copied
//   angles are computed in double; a row depends on its own position alone
//   keeps the cosines and sines
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/ops/kinds.h"
#include "heed/tensor/rows.h"

namespace heed {

struct RotaryOptions {
  RotaryPairs pairs = RotaryPairs::adjacent;
  double base = 10000;
  int64_t rotated = 0;  // R, even; 0: all D
  int64_t offset = 0;   // added to every position: what a cache already holds
};

// The position of a row is its index in its sequence, plus the offset.
HEED_API Variable rotary(const Variable& x, const Rows& rows, const RotaryOptions& options = {});

// One position per row, plus the offset: for sequences that have come to different lengths.
HEED_API Variable rotary_at(const Variable& x, std::span<const int64_t> positions,
                            const RotaryOptions& options = {});

}  // namespace heed
