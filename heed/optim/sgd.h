// Stochastic gradient descent with momentum.
//
//   m = momentum m + g + decay p
//   p = p - rate m
//
// g is the gradient times gradient_scale. One pass over memory. Without momentum nothing is kept.
#pragma once

#include "heed/optim/optimizer.h"

namespace heed {

struct SgdOptions {
  double momentum = 0;      // in [0, 1)
  double weight_decay = 0;  // of the parameters that decay: matrices, unless said otherwise
};

// The moment of its state is "m", if there is momentum.
class HEED_API Sgd : public Optimizer {
 public:
  explicit Sgd(std::vector<OptimizedParameter> parameters, const SgdOptions& options = {});

 private:
  void update(std::span<const Tensor> gradients, const StepOptions& options) override;

  SgdOptions options_;
  std::vector<Tensor>* m_ = nullptr;
};

}  // namespace heed
