// a = a + rate (x - a) on many tensors, in one sweep over memory: a moving average.
#pragma once

#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

// a[i] and x[i] have the same shape and type, float32 or float64, and are contiguous.
void lerp(std::span<Tensor> a, std::span<const Tensor> x, double rate);

}  // namespace heed::kernels
