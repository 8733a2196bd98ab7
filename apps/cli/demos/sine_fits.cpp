#include "apps/cli/demos/sine_fits.h"

#include <fmt/format.h>

#include "apps/cli/options/option_checks.h"

namespace heed::cli {
namespace {

// The narrow kernels may reach nothing; the nearest observation then answers.
NamedFit fit(const SineExperiment& data, const std::string& name, const Score& kernel) {
  return {name, fit_sine(data, {kernel, EmptyRule::nearest})};
}

}  // namespace

void add_sine_options(Command& command, SineFitOptions& options) {
  command.add_option("--observations", options.data.observations, "Noisy points (default 40)")
      .type_name("N")
      .check(whole_number(1, 100000));
  command.add_option("--noise", options.data.noise, "Deviation of the noise (default 1)")
      .type_name("X")
      .check(number(0, 1e6));
  command.add_option("-s,--seed", options.data.seed, "Seed of places and noise (default 6)")
      .type_name("N")
      .check(whole_number(0, int64_t{1} << 62));
  command.add_option("--widths", options.widths, "Widths of the Gaussian (default 0.1,0.2,0.5,1)")
      .type_name("NUMBERS");
}

std::vector<NamedFit> fit_kernels(const SineExperiment& data) {
  return {fit(data, "Gaussian", Gaussian{}), fit(data, "boxcar", Boxcar{}),
          fit(data, "constant", Constant{}), fit(data, "triangular", Triangular{})};
}

std::vector<NamedFit> fit_widths(const SineExperiment& data, const std::vector<double>& widths) {
  std::vector<NamedFit> fits;
  for (const double width : widths) {
    if (!(width > 0)) wrong_usage(fmt::format("--widths: {} is not positive", width));
    fits.push_back(fit(data, fmt::format("Gaussian, width {:g}", width),
                       Gaussian{Tensor::full({1}, width, DType::f64)}));
  }
  return fits;
}

Figure sine_figure(const SineExperiment& data, const NamedFit& fit) {
  Figure figure({.title = fmt::format("{}: error {:.2f}", fit.name, fit.fit.error),
                 .x_label = "x",
                 .y_label = "y"});
  figure.line(data.x, data.truth, {.label = "truth", .style = LineStyle::dashed, .color = 6});
  figure.line(data.x, fit.fit.prediction, {.label = "prediction", .color = 0});
  figure.scatter(data.x_seen, data.y_seen, {.label = "data", .color = 1});
  return figure;
}

}  // namespace heed::cli
