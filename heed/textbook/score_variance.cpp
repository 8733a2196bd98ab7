#include "heed/textbook/score_variance.h"

#include <algorithm>
#include <vector>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/ops/matmul.h"
#include "heed/ops/softmax.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

double variance_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double x : values) mean += x / static_cast<double>(values.size());
  double sum = 0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double mean_largest(const Tensor& weights) {
  const std::vector<double> w = numbers_of(weights);
  const auto columns = static_cast<size_t>(weights.dim(1));
  double sum = 0;
  for (size_t row = 0; row < w.size(); row += columns) {
    sum += *std::max_element(w.begin() + static_cast<int64_t>(row),
                             w.begin() + static_cast<int64_t>(row + columns));
  }
  return sum * static_cast<double>(columns) / static_cast<double>(w.size());
}

}  // namespace

ScoreVariance score_variance(const ScoreVarianceOptions& options) {
  const int64_t B = options.batch;
  const int64_t T = options.length;
  const int64_t C = options.width;
  check(B > 0 && T > 0 && C > 0 && B * T * T > 1 && B * T * C < (int64_t{1} << 31),
        "score variance: sizes {} x {} x {}; there must be at least two scores and fewer than 2^31 "
        "numbers",
        B, T, C);
  check(options.deviation > 0, "score variance: the deviation must be positive, got {}",
        options.deviation);
  const NoGrad no_gradients;
  const double m = options.deviation;
  const Tensor q = normal_numbers({B * T, C}, options.seed, 0, m);
  const Tensor k = normal_numbers({B * T, C}, options.seed, 1, m);
  Tensor all = Tensor::empty({B * T, T}, DType::f64);
  for (int64_t b = 0; b < B; ++b) {
    const Tensor product = matmul(q.slice(0, b * T, (b + 1) * T), k.slice(0, b * T, (b + 1) * T),
                                  {.transpose_b = true})
                               .value();  // [T, T]
    all.slice(0, b * T, (b + 1) * T).copy_from(product);
  }
  const double root = std::sqrt(static_cast<double>(C));
  std::vector<double> scaled = numbers_of(all);
  for (double& s : scaled) s /= root;
  ScoreVariance result;
  result.query_variance = variance_of(numbers_of(q));
  result.score_variance = variance_of(numbers_of(all));
  result.scaled_variance = variance_of(scaled);
  result.largest_weight = mean_largest(softmax(all).value());
  result.largest_scaled_weight = mean_largest(softmax(Tensor::from(scaled, {B * T, T})).value());
  result.expected_query = m * m;
  result.expected_score = static_cast<double>(C) * m * m * m * m;
  result.expected_scaled = m * m * m * m;
  return result;
}

RepeatedScoreVariance repeat_score_variance(int64_t runs, const ScoreVarianceOptions& options) {
  check(runs > 0, "score variance: {} runs; there must be at least 1", runs);
  std::vector<ScoreVariance> results(static_cast<size_t>(runs));
  parallel_for(runs, 1e9, [&](int64_t run) {
    ScoreVarianceOptions one = options;
    one.seed += static_cast<uint64_t>(run);
    results[run] = score_variance(one);
  });
  RepeatedScoreVariance repeated;
  ScoreVariance& mean = repeated.mean;
  mean.expected_query = results[0].expected_query;
  mean.expected_score = results[0].expected_score;
  mean.expected_scaled = results[0].expected_scaled;
  const auto n = static_cast<double>(runs);
  std::vector<double> variances;
  for (const ScoreVariance& one : results) {
    mean.query_variance += one.query_variance / n;
    mean.score_variance += one.score_variance / n;
    mean.scaled_variance += one.scaled_variance / n;
    mean.largest_weight += one.largest_weight / n;
    mean.largest_scaled_weight += one.largest_scaled_weight / n;
    variances.push_back(one.score_variance);
  }
  repeated.deviation = runs > 1 ? std::sqrt(variance_of(variances)) : 0;
  repeated.standard_error = repeated.deviation / std::sqrt(n);
  return repeated;
}

}  // namespace heed
