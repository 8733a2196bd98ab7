// What kernel regression asks of its kernel: how its values are normalized, and its width.
#pragma once

#include "heed/attention/score.h"

namespace heed {

// A kernel's values are weights already; the similarities, Gaussian among them, are logarithms of
// their kernel, and softmax is what divides by the sum without underflow.
Normalizer regression_normalizer(const Score& kernel);

// The width of a kernel that has one; undefined otherwise, and for width 1.
Variable width_of(const Score& kernel);

// The same kernel with another width.
Score with_width(const Score& kernel, const Variable& width);

}  // namespace heed
