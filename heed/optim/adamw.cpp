#include "heed/optim/adamw.h"

#include <cmath>
#include <utility>

#include "heed/base/fail.h"
#include "heed/kernels/adamw.h"

namespace heed {

AdamW::AdamW(std::vector<OptimizedParameter> parameters, const AdamWOptions& options)
    : Optimizer(std::move(parameters)),
      options_(options),
      m_(add_moment("m")),
      v_(add_moment("v")) {
  check(options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 && options.beta2 < 1,
        "adamw: beta1 and beta2 must be in [0, 1), got {} and {}", options.beta1, options.beta2);
  check(options.epsilon > 0, "adamw: epsilon must be > 0, got {}", options.epsilon);
  check(options.weight_decay >= 0, "adamw: weight_decay must be >= 0, got {}",
        options.weight_decay);
}

void AdamW::update(std::span<const Tensor> gradients, const StepOptions& options) {
  const auto t = static_cast<double>(steps());
  const double m_correction = 1 - std::pow(options_.beta1, t);
  const double v_correction = 1 - std::pow(options_.beta2, t);
  std::vector<kernels::AdamwTensors> all;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const OptimizedParameter& parameter = parameters()[i];
    const double decay = decays(parameter) ? options_.weight_decay : 0;
    all.push_back(
        {parameter.variable.value(), m_[i], v_[i], gradients[i], 1 - options.rate * decay});
  }
  kernels::adamw(all, {.gradient_scale = options.gradient_scale,
                       .beta1 = options_.beta1,
                       .beta2 = options_.beta2,
                       .rate = options.rate / m_correction,
                       .v_root = 1 / std::sqrt(v_correction),
                       .epsilon = options_.epsilon});
}

}  // namespace heed
