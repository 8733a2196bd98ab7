// The weights behind kernel regression, as heat maps.

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/sine_fits.h"
#include "apps/cli/options/option_checks.h"

namespace heed::cli {
namespace {

void show_weights(const SineFitOptions& options, Lesson& lesson) {
  const SineExperiment data = sine_experiment(options.data);
  lesson.formula("w_ij = K(q_i, x_j) / sum_j' K(q_i, x_j')        rows sum to 1");
  std::vector<NamedFit> fits = fit_kernels(data);
  const size_t kernels = fits.size();
  for (const NamedFit& fit : fit_widths(data, number_list("--widths", options.widths))) {
    fits.push_back(fit);
  }
  std::vector<Figure> panels;
  for (const NamedFit& each : fits) {
    Figure map({.title = each.name, .x_label = "observation", .y_label = "query"});
    map.heat_map(each.fit.weights, {.low = 0});
    panels.push_back(map);
    const Tensor first = each.fit.weights.slice(0, 0, 1).to(DType::f64).contiguous();
    double largest = 0;
    for (int64_t j = 0; j < first.size(); ++j) {
      largest = std::max(largest, first.data<double>()[j]);
    }
    lesson.number(each.name, "largest weight at x = 0, " + each.name, largest, 4);
  }
  lesson.figures("", "Weights of the observations", panels, static_cast<int>(kernels));
  lesson.say(
      "Queries go down (x from 0 to 5), observations across, in ascending order. The bright band "
      "is "
      "the neighborhood that a query looks at; a narrow kernel makes it thin.");
}

}  // namespace

Demo regression_weights_demo() {
  return {"regression-weights",
          "Kernel regression",
          "The weights behind the fits, as heat maps",
          "R19",
          "--widths 0.2,2",
          with_options<SineFitOptions>(add_sine_options, show_weights)};
}

}  // namespace heed::cli
