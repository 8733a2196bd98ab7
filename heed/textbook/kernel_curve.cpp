#include "heed/textbook/kernel_curve.h"

#include "heed/textbook/experiment_internal.h"

namespace heed {

// The weights of attention to a single key, without a normalizer, are the kernel itself.
Tensor kernel_curve(const Score& kernel, std::span<const double> places) {
  const Tensor q = column_of(std::vector<double>(places.begin(), places.end()));
  const Tensor k = Tensor::zeros({1, 1}, DType::f64);
  const Tensor weights =
      attention_weights(q, k, Rows::single(q.dim(0)), Rows::single(1),
                        {.score = kernel, .normalizer = Normalizer::none});  // [n, 1]
  return weights.reshape({q.dim(0)});
}

}  // namespace heed
