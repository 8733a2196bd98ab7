// y += x, the sum of two gradients.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed::kernels {

// y and x have the same shape and are float32 or float64; x may be strided.
void accumulate(Tensor& y, const Tensor& x);

}  // namespace heed::kernels
