// How the values of a kernel become weights.
#pragma once

#include "heed/attention/score.h"

namespace heed {

// A kernel's values are weights already; the similarities, Gaussian among them, are logarithms of
// their kernel, and softmax is what divides by the sum without underflow.
Normalizer regression_normalizer(const Score& kernel);

}  // namespace heed
