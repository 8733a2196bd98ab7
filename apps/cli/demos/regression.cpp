// Kernel regression, the oldest form of attention: four kernels, four widths.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/sine_fits.h"
#include "apps/cli/suggest.h"

namespace heed::cli {
namespace {

void show(const SineFitOptions& options, Lesson& lesson) {
  const SineExperiment data = sine_experiment(options.data);
  lesson.formula(
      "f(q) = sum_i y_i K(q, x_i) / sum_i K(q, x_i)\n"
      "data: y = 2 sin x + x + noise at random places in [0, 5)");
  const std::vector<NamedFit> kernels = fit_kernels(data);
  const std::vector<NamedFit> widths = fit_widths(data, number_list("--widths", options.widths));
  lesson.number("parameters", "parameters to train", 0);
  std::vector<Figure> panels;
  size_t best = 0;
  std::vector<NamedFit> all = kernels;
  all.insert(all.end(), widths.begin(), widths.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string key = all[i].name;
    lesson.number(key, "error of " + key + " (root mean square)", all[i].fit.error, 4);
    panels.push_back(sine_figure(data, all[i]));
    if (all[i].fit.error < all[best].fit.error) best = i;
  }
  lesson.figures("", "Kernel regression: four kernels, then widths of the Gaussian", panels,
                 static_cast<int>(kernels.size()), true, static_cast<int>(best));
  lesson.say(
      "The constant kernel answers the mean everywhere; the others follow the curve. A narrow "
      "width chases the noise, a wide one flattens the bend. heed regress does this with your "
      "data.");
}

}  // namespace

Demo regression_demo() {
  return {"regression",
          "Kernel regression",
          "Fits with four kernels and four widths",
          "R7, R15, R17, R19",
          "--seed 7 --observations 100",
          with_options<SineFitOptions>(add_sine_options, show)};
}

}  // namespace heed::cli
