// The width of a score, whatever its kind.
#pragma once

#include "heed/attention/score.h"

namespace heed {

// Undefined if the score has none, and for width 1.
Variable width_of(const Score& score);

// The same score with another width.
Score with_width(const Score& score, const Variable& width);

}  // namespace heed
