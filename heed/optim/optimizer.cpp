#include "heed/optim/optimizer.h"

#include <cmath>
#include <unordered_set>
#include <utility>

#include "heed/base/fail.h"
#include "heed/optim/named_state_internal.h"

namespace heed {
namespace {

// A read-only mapping of a file says so here, not in the first step.
void check_writable(Tensor value) {
  if (value.dtype() == DType::f32) {
    (void)value.data<float>();
  } else {
    (void)value.data<double>();
  }
}

}  // namespace

Optimizer::Optimizer(std::vector<OptimizedParameter> parameters)
    : parameters_(std::move(parameters)) {
  std::unordered_set<std::string> names;
  for (const OptimizedParameter& parameter : parameters_) {
    check(names.insert(parameter.name).second, "optimizer: two parameters are named \"{}\"",
          parameter.name);
    const Tensor& value = parameter.variable.value();
    check(parameter.variable.requires_gradient() && value.is_contiguous(),
          "optimizer: \"{}\", {}, is not a parameter with contiguous memory", parameter.name,
          value);
    check_writable(value);
  }
}

std::vector<Tensor>& Optimizer::add_moment(const std::string& name) {
  moments_.push_back(std::make_unique<Moment>(Moment{name, {}}));
  std::vector<Tensor>& tensors = moments_.back()->tensors;
  for (const OptimizedParameter& parameter : parameters_) {
    const Tensor& value = parameter.variable.value();
    tensors.push_back(Tensor::zeros(value.shape(), value.dtype()));
  }
  return tensors;
}

bool Optimizer::decays(const OptimizedParameter& parameter) {
  return parameter.decay.value_or(parameter.variable.value().rank() >= 2);
}

void Optimizer::step(std::span<const Tensor> gradients, const StepOptions& options) {
  check(gradients.size() == parameters_.size(), "optimizer: {} gradients for {} parameters",
        gradients.size(), parameters_.size());
  check(std::isfinite(options.rate) && options.rate >= 0,
        "optimizer: the learning rate must be a number >= 0, got {}", options.rate);
  check(std::isfinite(options.gradient_scale),
        "optimizer: the scale of the gradients must be a number, got {}", options.gradient_scale);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Tensor& value = parameters_[i].variable.value();
    check(gradients[i].shape() == value.shape() && gradients[i].dtype() == value.dtype() &&
              gradients[i].is_contiguous(),
          "optimizer: the gradient of \"{}\" is {}, expected {} in contiguous memory",
          parameters_[i].name, gradients[i], value);
  }
  ++steps_;
  update(gradients, options);
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> result = {{"steps", Tensor::from(std::vector<int64_t>{steps_}, {1})}};
  for (const auto& moment : moments_) {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      result.push_back({moment->name + "." + parameters_[i].name, moment->tensors[i]});
    }
  }
  return result;
}

void Optimizer::load_state(std::span<const NamedTensor> saved) {
  const std::vector<NamedTensor> now = state();
  const Tensor& steps = now[0].tensor;  // a copy, unlike the others
  copy_state(now, saved, "optimizer");
  steps_ = steps.data<int64_t>()[0];
}

}  // namespace heed
