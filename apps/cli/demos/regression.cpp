// Kernel regression, the oldest form of attention: four kernels, four widths.

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/sine_fits.h"
#include "apps/cli/options/option_checks.h"

namespace heed::cli {
namespace {

// One prediction as attention: where the query stands, and the weights of the keys.
void show_query(const SineExperiment& data, const NamedFit& named, Lesson& lesson) {
  const int64_t at = data.x.dim(0) / 2;
  const double query = numbers_of(data.x)[at];
  const double answer = numbers_of(named.fit.prediction)[at];
  const std::vector<double> y = numbers_of(data.y_seen);
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  Figure pairs({.title = "Keys, values, a query, its answer", .x_label = "x", .y_label = "y"});
  pairs.line(numbers({query, query}), numbers({*low, *high}),
             {.label = "query", .style = LineStyle::dashed, .color = 6});
  pairs.scatter(data.x_seen, data.y_seen, {.label = "keys x_i, values y_i", .color = 1});
  pairs.scatter(numbers({query}), numbers({answer}), {.label = "answer", .color = 0});
  Figure weights({.title = "Weights of the keys", .x_label = "x", .y_label = "weight"});
  weights.scatter(data.x_seen,
                  named.fit.weights.slice(0, at, at + 1).contiguous().reshape({data.x_seen.dim(0)}),
                  {.label = named.name, .color = 2});
  lesson.number("query", "a query, in the middle", query, 4);
  lesson.number("answer", "its answer: the weighted mean of the values", answer, 4);
  lesson.figures("query", "Regression as attention", {pairs, weights}, 2);
}

void show_regression_demo(const SineFitOptions& options, Lesson& lesson) {
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
    lesson.number(key, "root mean square error, " + key, all[i].fit.error, 4);
    panels.push_back(sine_figure(data, all[i]));
    if (all[i].fit.error < all[best].fit.error) best = i;
  }
  lesson.figures("", "Kernel regression: four kernels, then widths of the Gaussian", panels,
                 static_cast<int>(kernels.size()), true);
  show_query(data, all[best], lesson);
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
          with_options<SineFitOptions>(add_sine_options, show_regression_demo)};
}

}  // namespace heed::cli
