#include "heed/textbook/layer_norm_variants.h"

#include "heed/base/fail.h"
#include "heed/ops/layer_norm.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {

LayerNormVariants layer_norm_variants(std::span<const double> x, double epsilon) {
  check(x.size() >= 2, "layer norm: a row of at least two numbers is needed, got {}", x.size());
  check(epsilon >= 0, "layer norm: epsilon must not be negative, got {}", epsilon);
  const auto H = static_cast<int64_t>(x.size());
  const Tensor row = Tensor::from(x, {1, H});
  const Tensor gain = Tensor::full({H}, 1, DType::f64);
  const Tensor shift = Tensor::zeros({H}, DType::f64);
  LayerNormVariants result;
  result.standard = numbers_of(layer_norm(row, gain, shift, {.epsilon = epsilon}).value());
  result.textbook = numbers_of(
      layer_norm(row, gain, shift, {.epsilon = epsilon, .form = LayerNormForm::textbook}).value());
  for (const double value : x) result.mean += value / static_cast<double>(H);
  for (const double value : x) {
    result.variance += (value - result.mean) * (value - result.mean) / static_cast<double>(H);
  }
  result.unbiased_deviation =
      std::sqrt(result.variance * static_cast<double>(H) / static_cast<double>(H - 1));
  for (const double value : x) {
    result.by_variance.push_back((value - result.mean) / (result.variance + epsilon));
  }
  return result;
}

}  // namespace heed
