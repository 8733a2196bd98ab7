// AdamW on all parameters of a model, in one sweep over memory.
//
//   g = gradient_scale g
//   m = beta1 m + (1 - beta1) g
//   v = beta2 v + (1 - beta2) g^2
//   p = keep p - rate m / (v_root sqrt(v) + epsilon)
//
// A moment that no longer changes anything (|m| < 1e-30, v < 1e-36) becomes 0. Otherwise the
// moments of a row of an embedding that no longer occurs would decay into denormal numbers, stay
// there, and make every later step many times slower.
#pragma once

#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

struct AdamwTensors {
  Tensor p, m, v, g;  // same shape and type, contiguous
  double keep;        // 1 - rate * weight decay
};

struct AdamwFactors {
  double gradient_scale;
  double beta1, beta2;
  double rate;    // with the bias correction of m
  double v_root;  // the bias correction of sqrt(v)
  double epsilon;
};

void adamw(std::span<AdamwTensors> all, const AdamwFactors& factors);

}  // namespace heed::kernels
