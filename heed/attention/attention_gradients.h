// All gradients of attention, see reference.h.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

// Each with the shape of what it belongs to; undefined where the options
// have no such input.
struct AttentionGradients {
  Tensor dq, dk, dv, dbias;
  Tensor dwidth;            // Gaussian, Boxcar, Triangular, Epanechnikov
  Tensor dw_q, dw_k, dw_v;  // Additive
  Tensor dm;                // Bilinear
};

}  // namespace heed
