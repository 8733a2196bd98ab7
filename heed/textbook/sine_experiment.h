// The regression experiment of the lecture notes.
//
//   y = 2 sin x + x + noise        x uniform in [0, 5), noise normal with deviation 1
//
// The observations are in ascending order, so that the weights of neighbors stand side by side.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/regression/kernel_regression.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct SineExperimentOptions {
  int64_t observations = 40;
  int64_t validation = 50;  // points at equal distances
  double noise = 1;         // deviation
  uint64_t seed = 6;
};

struct SineExperiment {
  Tensor x_seen;  // [M, 1]
  Tensor y_seen;  // [M, 1]
  Tensor x;       // [N, 1]
  Tensor truth;   // [N, 1]: 2 sin x + x
};

HEED_API SineExperiment sine_experiment(const SineExperimentOptions& options = {});

struct SineFit {
  Tensor prediction;  // [N, 1]
  Tensor weights;     // [N, M]
  double error = 0;   // root of the mean squared difference to the truth
};

HEED_API SineFit fit_sine(const SineExperiment& data, const RegressionOptions& options);

}  // namespace heed
