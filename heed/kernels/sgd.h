// Gradient descent with momentum on all parameters of a model, in one sweep over memory: the
// formula of optim/sgd.h.
#pragma once

#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

struct SgdTensors {
  Tensor p, m, g;  // same shape and type, contiguous; m undefined: no momentum
  double decay;
};

struct SgdFactors {
  double gradient_scale;
  double momentum;
  double rate;
};

void sgd(std::span<SgdTensors> all, const SgdFactors& factors);

}  // namespace heed::kernels
