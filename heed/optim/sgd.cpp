#include "heed/optim/sgd.h"

#include <utility>

#include "heed/base/fail.h"
#include "heed/kernels/sgd.h"

namespace heed {

Sgd::Sgd(std::vector<OptimizedParameter> parameters, const SgdOptions& options)
    : Optimizer(std::move(parameters)), options_(options) {
  check(options.momentum >= 0 && options.momentum < 1, "sgd: momentum must be in [0, 1), got {}",
        options.momentum);
  check(options.weight_decay >= 0, "sgd: weight_decay must be >= 0, got {}", options.weight_decay);
  if (options.momentum > 0) m_ = &add_moment("m");
}

void Sgd::update(std::span<const Tensor> gradients, const StepOptions& options) {
  std::vector<kernels::SgdTensors> all;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const OptimizedParameter& parameter = parameters()[i];
    const double decay = decays(parameter) ? options_.weight_decay : 0;
    const Tensor m = m_ != nullptr ? (*m_)[i] : Tensor();
    all.push_back({parameter.variable.value(), m, gradients[i], decay});
  }
  kernels::sgd(all, {.gradient_scale = options.gradient_scale,
                     .momentum = options_.momentum,
                     .rate = options.rate});
}

}  // namespace heed
