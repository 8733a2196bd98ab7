// Small helpers of the experiments: everything here is float64 and small.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/tensor/numbers.h"

namespace heed {

inline Tensor column_of(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size()), 1});
}

inline Tensor vector_of(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
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
