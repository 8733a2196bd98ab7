// Parameters of several shapes with gradients for some steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/optim/optimizer.h"
#include "tests/ops/gradient_check.h"

namespace heed {

// A matrix larger than a task, a vector, a table with an odd size, and one element.
inline std::vector<OptimizedParameter> make_parameters(DType type, uint64_t seed = 1) {
  std::vector<OptimizedParameter> parameters;
  for (const Shape& shape : {Shape{97, 401}, Shape{13}, Shape{3, 5, 7}, Shape{1}}) {
    const std::string name = "p" + std::to_string(parameters.size());
    parameters.push_back({name, Variable::parameter(random_tensor(shape, seed++, type))});
  }
  return parameters;
}

inline std::vector<Tensor> make_gradients(const std::vector<OptimizedParameter>& parameters,
                                          uint64_t seed) {
  std::vector<Tensor> gradients;
  for (const OptimizedParameter& p : parameters) {
    gradients.push_back(random_tensor(p.variable.shape(), seed++, p.variable.value().dtype()));
  }
  return gradients;
}

inline std::vector<Tensor> copies_of(const std::vector<OptimizedParameter>& parameters,
                                     DType type) {
  std::vector<Tensor> values;
  for (const OptimizedParameter& p : parameters)
    values.push_back(p.variable.value().to(type).clone());
  return values;
}

// A state that later steps do not change.
inline std::vector<NamedTensor> frozen(const std::vector<NamedTensor>& state) {
  std::vector<NamedTensor> copies;
  for (const NamedTensor& one : state) copies.push_back({one.name, one.tensor.clone()});
  return copies;
}

}  // namespace heed
