// Small helpers of the experiments: everything here is float64 and small.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed {

inline std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor values = tensor.to(DType::f64).contiguous();
  return {values.data<double>(), values.data<double>() + values.size()};
}

inline Tensor column_of(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size()), 1});
}

inline Tensor vector_of(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

// Normal numbers with mean 0 and this deviation. `site` tells draws of one experiment apart.
inline Tensor normal_numbers(const Shape& shape, uint64_t seed, uint64_t site,
                             double deviation = 1) {
  Tensor result = Tensor::empty(shape, DType::f64);
  const RandomKey key = random_key({.seed = seed, .site = site});
  for (int64_t i = 0; i < result.size(); ++i) {
    result.data<double>()[i] = deviation * random_normal(key, static_cast<uint32_t>(i));
  }
  return result;
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = numbers_of(a);
  const std::vector<double> y = numbers_of(b);
  double result = 0;
  for (size_t i = 0; i < x.size(); ++i) result = std::fmax(result, std::abs(x[i] - y[i]));
  return result;
}

// One sequence of queries against one of keys: what comes out, and the weights behind it.
struct Pooled {
  Tensor output;   // [T, Dv]
  Tensor weights;  // [T, S]
};

inline Pooled pool(const Tensor& q, const Tensor& k, const Tensor& v,
                   const AttentionOptions& options = {}) {
  const NoGrad no_gradients;
  const Rows queries = Rows::single(q.dim(0));
  const Rows keys = Rows::single(k.dim(0));
  return {attention(q, k, v, queries, keys, options).value(),
          attention_weights(q, k, queries, keys, options)};
}

}  // namespace heed
