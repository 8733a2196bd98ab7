// AdamW: Adam with decoupled weight decay (Kingma and Ba 2015, Loshchilov and Hutter 2019).
//
//   m = beta1 m + (1 - beta1) g
//   v = beta2 v + (1 - beta2) g^2
//   p = p - rate decay p - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// g is the gradient times gradient_scale, t the number of the step from 1. One pass over memory.
//
// A moment that no longer changes anything (|m| < 1e-30, v < 1e-36) becomes 0. Otherwise the
// moments of a row of an embedding that no longer occurs would decay into denormal numbers, stay
// there, and make every later step many times slower.
#pragma once

#include "heed/optim/optimizer.h"

namespace heed {

struct AdamWOptions {
  double beta1 = 0.9;          // in [0, 1)
  double beta2 = 0.999;        // in [0, 1)
  double epsilon = 1e-8;       // > 0
  double weight_decay = 0.01;  // of the parameters that decay: matrices, unless said otherwise
};

// The moments of its state are "m" and "v".
class HEED_API AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<OptimizedParameter> parameters, const AdamWOptions& options = {});

 private:
  void update(std::span<const Tensor> gradients, const StepOptions& options) override;

  AdamWOptions options_;
  std::vector<Tensor>& m_;
  std::vector<Tensor>& v_;
};

}  // namespace heed
