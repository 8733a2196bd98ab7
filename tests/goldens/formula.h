// Parameters and ids as make_transformer_goldens.py computes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/nn/parameters.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Numbers that look random: cubes modulo a prime, scaled by what the parameter is.
inline void set_formula_values(const std::string& name, Tensor value) {
  constexpr int64_t p = 2003;
  int64_t salt = 0;
  for (size_t k = 0; k < name.size(); ++k) salt += static_cast<int64_t>(k + 1) * name[k];
  const double scale = name.ends_with("gain")                              ? 0.2
                       : name.ends_with("shift") || name.ends_with("bias") ? 0.1
                       : name.ends_with("table")
                           ? 0.5
                           : std::sqrt(3.0 / static_cast<double>(value.dim(0)));
  Tensor numbers = Tensor::empty(value.shape(), DType::f64);
  for (int64_t i = 0; i < value.size(); ++i) {
    const int64_t x = (i * 7919 + salt * 104729) % p;
    const double number = static_cast<double>(x * x * x % p - 1001) / 1001;
    numbers.data<double>()[i] = (name.ends_with("gain") ? 1 : 0) + scale * number;
  }
  value.copy_from(numbers.to(value.dtype()));
}

inline void set_formula_values(const Parameters& parameters) {
  for (const NamedParameter& parameter : parameters.list()) {
    set_formula_values(parameter.name, parameter.variable.value());
  }
}

inline std::vector<int32_t> formula_ids(int64_t salt, int64_t count, int64_t below) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<int32_t>((i * 7 + salt * 5 + i * i) % below));
  }
  return ids;
}

}  // namespace heed
