// The kernels of Nadaraya and Watson as curves over the distance u = |q - k| / width.
//
//   Gaussian      exp(-u^2 / 2)
//   boxcar        1 if u <= 1, else 0            the edge belongs to it
//   constant      1
//   triangular    max(0, 1 - u)                  called "Epanechikov" in the lecture notes
//   Epanechnikov  max(0, 1 - u^2)                what Epanechnikov's kernel is, up to a factor
#pragma once

#include <span>

#include "heed/attention/score.h"
#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// The kernel's value for a query at each of `places` and a key at 0, [n]; the score's width counts.
HEED_API Tensor kernel_curve(const Score& kernel, std::span<const double> places);

}  // namespace heed
