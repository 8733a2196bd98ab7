#include "heed/textbook/attention_rollout.h"

#include "heed/base/fail.h"

namespace heed {

Tensor attention_rollout(std::span<const Tensor> layers) {
  check(!layers.empty(), "attention_rollout: there is no layer");
  const Tensor& first = layers.front();
  check(first.defined() && first.rank() == 2 && first.dim(0) == first.dim(1),
        "attention_rollout: weights must be [T, T], got {}", first);
  const int64_t T = first.dim(0);
  Tensor mixed = Tensor::zeros({T, T}, DType::f64);
  for (int64_t t = 0; t < T; ++t) mixed.data<double>()[t * T + t] = 1;
  for (const Tensor& layer : layers) {
    check(layer.defined() && layer.shape() == first.shape() && is_real(layer.dtype()),
          "attention_rollout: the first weights are {}, other ones {}", first, layer);
    const Tensor weights = layer.to(DType::f64);
    Tensor next = Tensor::zeros({T, T}, DType::f64);
    const double *a = weights.data<double>(), *before = mixed.data<double>();
    for (int64_t i = 0; i < T; ++i) {
      double* row = next.data<double>() + i * T;
      for (int64_t k = 0; k < T; ++k) {
        const double part = (a[i * T + k] + (i == k ? 1 : 0)) / 2;
        for (int64_t j = 0; j < T; ++j) row[j] += part * before[k * T + j];
      }
    }
    mixed = next;
  }
  return mixed;
}

}  // namespace heed
