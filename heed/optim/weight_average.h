// Averages of weights: over time, as training goes on, or of several models.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/optim/optimizer.h"
#include "heed/tensor/named_tensor.h"

namespace heed {

// The exponential moving average of parameters.
//
//   a = a + (1 - d) (p - a)        d = min(decay, (1 + n) / (10 + n)), n updates so far
//
// It begins with the parameters as they are; the smaller d of the first updates lets it forget
// them.
class HEED_API WeightAverage {
 public:
  WeightAverage(std::vector<OptimizedParameter> parameters, double decay);  // decay in [0, 1)

  void update();  // after each step of the optimizer

  // Exchanges the numbers of averages and parameters: the model computes with the averages until
  // the next call.
  void swap();

  // "updates" (int64 [1]) and "average.PARAMETER", handles on the living numbers; and back, as for
  // Optimizer.
  std::vector<NamedTensor> state() const;
  void load_state(std::span<const NamedTensor> saved);

 private:
  std::vector<OptimizedParameter> parameters_;
  std::vector<Tensor> averages_;
  double decay_;
  int64_t updates_ = 0;
};

// The mean of tensors of the same shape and type (float32 or float64), summed in order in double.
HEED_API Tensor mean_of_tensors(std::span<const Tensor> tensors);

}  // namespace heed
