// Tensors as lists of numbers, and of random ones: for what is small and float64.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed {

// The numbers of a tensor, in the order of its elements.
inline std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor values = tensor.to(DType::f64).contiguous();
  return {values.data<double>(), values.data<double>() + values.size()};
}

// Normal numbers with mean 0 and this deviation, float64. `site` tells draws of one seed apart.
inline Tensor normal_numbers(const Shape& shape, uint64_t seed, uint64_t site = 0,
                             double deviation = 1) {
  Tensor result = Tensor::empty(shape, DType::f64);
  const RandomKey key = random_key({.seed = seed, .site = site});
  for (int64_t i = 0; i < result.size(); ++i) {
    result.data<double>()[i] = deviation * random_normal(key, static_cast<uint32_t>(i));
  }
  return result;
}

}  // namespace heed
