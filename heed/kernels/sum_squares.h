// sum_i x_i^2 over all elements of some tensors, in double.
//
// The order of the sum depends on the sizes alone: each tensor is cut into pieces of a fixed size,
// and the sums of the pieces are added in a binary tree. Threads share the work without changing a
// bit. Infinity or NaN anywhere gives infinity or NaN.
#pragma once

#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

// float32 or float64, contiguous.
double sum_squares(std::span<const Tensor> tensors);

}  // namespace heed::kernels
