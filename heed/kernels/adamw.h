// AdamW on all parameters of a model, in one sweep over memory: the formula of optim/adamw.h, whose
// powers of beta and products with the rate come ready-made.
#pragma once

#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

struct AdamwTensors {
  Tensor p, m, v, g;  // same shape and type, contiguous
  double keep;        // 1 - rate decay, the factor of p
};

struct AdamwFactors {
  double gradient_scale;
  double beta1, beta2;
  double rate;    // rate / (1 - beta1^t)
  double v_root;  // 1 / sqrt(1 - beta2^t)
  double epsilon;
};

void adamw(std::span<AdamwTensors> all, const AdamwFactors& factors);

}  // namespace heed::kernels
