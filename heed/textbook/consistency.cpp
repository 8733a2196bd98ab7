#include "heed/textbook/consistency.h"

#include "heed/base/fail.h"
#include "heed/textbook/experiment_internal.h"
#include "heed/textbook/sine_experiment.h"

namespace heed {
namespace {

constexpr int64_t kPlaces = 100;

// The ends of the data are left out: there a kernel sees one side only.
double mean_squared_error(const SineExperiment& data, double width) {
  const Tensor prediction =
      kernel_regression(data.x, data.x_seen, data.y_seen, {.kernel = Gaussian{vector_of({width})}});
  const std::vector<double> predicted = numbers_of(prediction);
  const std::vector<double> truth = numbers_of(data.truth);
  double sum = 0;
  const size_t skip = truth.size() / 10;
  for (size_t i = skip; i < truth.size() - skip; ++i) sum += std::pow(predicted[i] - truth[i], 2);
  return sum / static_cast<double>(truth.size() - 2 * skip);
}

}  // namespace

std::vector<ConsistencyPoint> consistency_experiment(std::span<const int64_t> observations,
                                                     const ConsistencyOptions& options) {
  check(options.width > 0 && options.seeds > 0,
        "consistency: the width ({}) and the number of seeds ({}) must be positive", options.width,
        options.seeds);
  std::vector<ConsistencyPoint> points;
  for (const int64_t n : observations) {
    check(n > 0, "consistency: {} observations; there must be at least 1", n);
    ConsistencyPoint point{n, options.width * std::pow(static_cast<double>(n), -1.0 / 5)};
    for (int64_t s = 0; s < options.seeds; ++s) {
      const SineExperiment data =
          sine_experiment({.observations = n,
                           .validation = kPlaces,
                           .seed = options.seed + static_cast<uint64_t>(s)});
      const auto seeds = static_cast<double>(options.seeds);
      point.narrowing_error += mean_squared_error(data, point.narrowing_width) / seeds;
      point.fixed_error += mean_squared_error(data, options.width) / seeds;
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace heed
