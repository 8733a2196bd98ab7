// heed demo: kernel regression, the oldest form of attention, with its picture.
//
// The experiment of the lecture notes: y = 2 sin x + x + noise seen at 40 places in [0, 5), and
// predicted at 50 by an average over all of them, weighted by a kernel of the distance.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "apps/cli/command.h"
#include "apps/cli/command_line.h"
#include "apps/cli/report.h"
#include "apps/cli/suggest.h"
#include "heed/attention/kernel_regression.h"
#include "heed/base/random.h"
#include "heed/io/atomic_file.h"

namespace heed::cli {
namespace {

constexpr int64_t kSeen = 40;
constexpr int64_t kValidation = 50;
constexpr double kEnd = 5;

struct Arguments {
  std::string output = "kernel-regression.svg";
  uint64_t seed = 6;
};

struct Experiment {
  Tensor x_seen;  // [M, 1], ascending, so that weights of neighbors stand side by side
  Tensor y_seen;  // [M, 1]
  Tensor x;       // [N, 1]
  Tensor truth;   // [N, 1]
};

double truth_at(double x) { return 2 * std::sin(x) + x; }

Experiment make_experiment(uint64_t seed) {
  const RandomKey places = random_key({.seed = seed, .site = 0});
  const RandomKey noise = random_key({.seed = seed, .site = 1});
  std::vector<double> x_seen;
  for (uint32_t i = 0; i < kSeen; ++i) x_seen.push_back(kEnd * random_uniform(places, i));
  std::sort(x_seen.begin(), x_seen.end());
  std::vector<double> y_seen;
  for (uint32_t i = 0; i < kSeen; ++i) {
    y_seen.push_back(truth_at(x_seen[i]) + random_normal(noise, i));
  }
  std::vector<double> x;
  std::vector<double> truth;
  for (int64_t i = 0; i < kValidation; ++i) {
    x.push_back(kEnd * static_cast<double>(i) / kValidation);
    truth.push_back(truth_at(x.back()));
  }
  const auto column = [](const std::vector<double>& values) {
    return Tensor::from(values, {static_cast<int64_t>(values.size()), 1}).to(DType::f32);
  };
  return {column(x_seen), column(y_seen), column(x), column(truth)};
}

// One kernel: what it predicts, how it weighs, and how far off it is.
struct Fit {
  std::string name;
  Tensor prediction;  // [N, 1]
  Tensor weights;     // [N, M]
  double error = 0;   // root of the mean squared difference to the truth
};

Fit fit(const Experiment& data, const std::string& name, const Score& kernel) {
  // The narrow kernels may reach nothing; the nearest observation then answers.
  const RegressionOptions options{kernel, EmptyRule::nearest};
  Fit result{name, kernel_regression(data.x, data.x_seen, data.y_seen, options),
             kernel_regression_weights(data.x, data.x_seen, options)};
  for (int64_t i = 0; i < kValidation; ++i) {
    const double off =
        result.prediction.data<float>()[i] - std::as_const(data.truth).data<float>()[i];
    result.error += off * off / kValidation;
  }
  result.error = std::sqrt(result.error);
  return result;
}

Score gaussian(double width) { return Gaussian{Tensor::full({1}, width)}; }

std::vector<Fit> fit_kernels(const Experiment& data) {
  return {fit(data, "Gaussian", Gaussian{}), fit(data, "Boxcar", Boxcar{}),
          fit(data, "Constant", Constant{}), fit(data, "Triangular", Triangular{})};
}

std::vector<Fit> fit_widths(const Experiment& data) {
  std::vector<Fit> fits;
  for (const double width : {0.1, 0.2, 0.5, 1.0}) {
    fits.push_back(fit(data, fmt::format("Gaussian, width {}", width), gaussian(width)));
  }
  return fits;
}

Figure fit_figure(const Experiment& data, const Fit& shown, const std::string& title) {
  Figure figure({.title = title, .x_label = "x", .y_label = "y"});
  figure.line(data.x, data.truth, {.label = "truth", .style = LineStyle::dashed, .color = 6});
  figure.line(data.x, shown.prediction, {.label = "prediction", .color = 0});
  figure.scatter(data.x_seen, data.y_seen, {.label = "data", .color = 1});
  return figure;
}

std::string whole_picture(const Experiment& data, const std::vector<Fit>& kernels,
                          const std::vector<Fit>& widths) {
  FigureGrid grid({.title = "Kernel regression is attention: fits, and the weights behind them",
                   .columns = static_cast<int>(kernels.size())});
  for (const std::vector<Fit>& row : {kernels, widths}) {
    for (const Fit& each : row) {
      grid.add(fit_figure(data, each, fmt::format("{}: error {:.2f}", each.name, each.error)));
    }
    for (const Fit& each : row) {
      Figure map({.title = each.name + ": weights", .x_label = "observation", .y_label = "query"});
      map.heat_map(each.weights, {.low = 0});
      grid.add(map);
    }
  }
  return grid.svg({.width = 380, .height = 300});
}

void show(const Arguments& arguments) {
  const Experiment data = make_experiment(arguments.seed);
  const std::vector<Fit> kernels = fit_kernels(data);
  const std::vector<Fit> widths = fit_widths(data);
  TerminalOptions terminal = stdout_terminal();

  fmt::print(
      "Kernel regression: attention without parameters.\n"
      "{} noisy observations of y = 2 sin x + x; the prediction at x is their average,\n"
      "weighted by how near they are.\n\n",
      kSeen);
  fmt::print("{}\n", fit_figure(data, widths[2], widths[2].name).terminal(terminal));
  terminal.height = 17;
  Figure map({.title = "Its weights: queries down (x from 0 to 5), observations across"});
  map.heat_map(widths[2].weights, {.low = 0});
  fmt::print("{}\n", map.terminal(terminal));

  fmt::print("Error at {} validation points (root mean square):\n", kValidation);
  for (const std::vector<Fit>& row : {kernels, widths}) {
    for (const Fit& each : row) fmt::print("  {:<20} {:.3f}\n", each.name, each.error);
  }
  write_file(arguments.output, whole_picture(data, kernels, widths));
  fmt::print(
      "\nThe constant kernel answers the mean everywhere; the others follow the curve. A narrow\n"
      "width chases the noise, a wide one flattens the bend. The bright band in the weights is\n"
      "that neighborhood: each row sums to 1, as in every softmax attention.\n"
      "\nAll fits and weights: {}\n",
      arguments.output);
}

}  // namespace

void add_demo_command(CLI::App& app, Run& run) {
  Command command(app, "demo", "A kernel regression with its picture");
  auto arguments = std::make_shared<Arguments>();
  command
      .add_option("-o,--output", arguments->output, "The picture (default kernel-regression.svg)")
      .type_name("FILE");
  command.add_option("-s,--seed", arguments->seed, "Seed of the noise (default 6)")
      .type_name("N")
      .check(whole_number(0, int64_t{1} << 62));
  command.footer("Example:\n  heed demo --seed 7 -o fits.svg");
  command.callback([&run, arguments] {
    require_svg("--output", arguments->output);
    run = [arguments] { show(*arguments); };
  });
}

}  // namespace heed::cli
