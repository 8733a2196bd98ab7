#include "heed/textbook/head_statistics.h"

#include "heed/base/fail.h"
#include "heed/nn/multi_head_attention.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {

HeadStatistics head_statistics(const Tensor& weights) {
  check(weights.defined() && weights.rank() == 2 && weights.dim(0) > 0,
        "head statistics: weights must be [T, S] with at least one row, got {}", weights);
  const int64_t T = weights.dim(0);
  const int64_t S = weights.dim(1);
  const std::vector<double> w = numbers_of(weights);
  HeadStatistics result;
  for (int64_t i = 0; i < T; ++i) {
    for (int64_t j = 0; j < S; ++j) {
      const double weight = w[i * S + j];
      result.mean_distance +=
          weight * static_cast<double>(std::abs(i - j)) / static_cast<double>(T);
      if (i == j) result.share_on_self += weight / static_cast<double>(T);
      if (weight > 0) result.entropy -= weight * std::log(weight) / static_cast<double>(T);
    }
  }
  return result;
}

int64_t multi_head_parameters(const MultiHeadSizes& sizes) {
  const int64_t output = sizes.output_width > 0 ? sizes.output_width : sizes.width;
  const int64_t keys = sizes.heads * sizes.key_width;
  const int64_t values = sizes.heads * sizes.value_width;
  const int64_t p = sizes.key_width;
  const int64_t scoring = sizes.score == ScoreKind::additive   ? 2 * p * p + p
                          : sizes.score == ScoreKind::bilinear ? p * p
                                                               : 0;
  const int64_t weights = 2 * sizes.width * keys + sizes.width * values + values * output + scoring;
  return weights + (sizes.bias ? 2 * keys + values + output : 0);
}

int64_t count_multi_head_parameters(const MultiHeadSizes& sizes) {
  Parameters parameters;
  const ParameterScope root(parameters);
  const MultiHeadAttention layer(root.in("attention"), sizes.width,
                                 {.heads = sizes.heads,
                                  .key_width = sizes.key_width,
                                  .value_width = sizes.value_width,
                                  .output_width = sizes.output_width,
                                  .score = sizes.score,
                                  .bias = sizes.bias});
  return parameters.count();
}

}  // namespace heed
