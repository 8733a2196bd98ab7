#include "heed/textbook/sine_experiment.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

constexpr double kEnd = 5;

double truth_at(double x) { return 2 * std::sin(x) + x; }

}  // namespace

SineExperiment sine_experiment(const SineExperimentOptions& options) {
  check(options.observations > 0 && options.validation > 0,
        "sine experiment: {} observations and {} points to validate at; both must be positive",
        options.observations, options.validation);
  const RandomKey places = random_key({.seed = options.seed, .site = 0});
  const RandomKey noise = random_key({.seed = options.seed, .site = 1});
  std::vector<double> x_seen;
  for (int64_t i = 0; i < options.observations; ++i) {
    x_seen.push_back(kEnd * random_uniform(places, static_cast<uint32_t>(i)));
  }
  std::sort(x_seen.begin(), x_seen.end());
  std::vector<double> y_seen;
  for (size_t i = 0; i < x_seen.size(); ++i) {
    y_seen.push_back(truth_at(x_seen[i]) +
                     options.noise * random_normal(noise, static_cast<uint32_t>(i)));
  }
  std::vector<double> x;
  std::vector<double> truth;
  for (int64_t i = 0; i < options.validation; ++i) {
    x.push_back(kEnd * static_cast<double>(i) / static_cast<double>(options.validation));
    truth.push_back(truth_at(x.back()));
  }
  return {column_of(x_seen), column_of(y_seen), column_of(x), column_of(truth)};
}

SineFit fit_sine(const SineExperiment& data, const RegressionOptions& options) {
  SineFit fit{kernel_regression(data.x, data.x_seen, data.y_seen, options),
              kernel_regression_weights(data.x, data.x_seen, options)};
  const std::vector<double> predicted = numbers_of(fit.prediction);
  const std::vector<double> truth = numbers_of(data.truth);
  double sum = 0;
  for (size_t i = 0; i < truth.size(); ++i) sum += std::pow(predicted[i] - truth[i], 2);
  fit.error = std::sqrt(sum / static_cast<double>(truth.size()));
  return fit;
}

}  // namespace heed
