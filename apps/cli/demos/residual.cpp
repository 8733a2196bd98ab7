// Residual connections give gradients a second way.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/residual_gradients.h"

namespace heed::cli {
namespace {

struct ResidualArguments {
  ResidualOptions options;
  std::string gains = "0.5,1,2";
};

constexpr size_t kMaxGains = 6;

// What is wrong with a list of gains; empty if nothing is.
std::string problem_with_gains(const std::string& text) {
  const std::vector<double> gains = number_list("--gain", text);
  for (const double gain : gains) {
    if (!(gain > 0) || !std::isfinite(gain))
      return fmt::format("{} is not a positive number", gain);
  }
  return gains.size() <= kMaxGains
             ? ""
             : fmt::format("{} gains, at most {} are possible", gains.size(), kMaxGains);
}

void add_residual_options(Command& command, ResidualArguments& arguments) {
  ResidualOptions& sizes = arguments.options;
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t max) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, max));
  };
  size("--layers", sizes.layers, "Layers (default 32)", 500);
  size("--width", sizes.width, "Width (default 64)", 512);
  size("--rows", sizes.rows, "Rows (default 8)", 256);
  command
      .add_option("--gain", arguments.gains,
                  "Gain of the weights, or several to compare (default 0.5,1,2)")
      .type_name("G,..")
      .check(problem_with_gains);
  add_seed(command, sizes.seed);
}

void show_residual_demo(const ResidualArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "plain      x_{l+1} = f(x_l)            dx_l = J' dx_{l+1}\n"
      "residual   x_{l+1} = x_l + f(x_l)      dx_l = dx_{l+1} + J' dx_{l+1}\n"
      "f(x) = tanh(x W), W normal with deviation gain / sqrt(width)");
  const int64_t layers = arguments.options.layers;
  std::vector<double> layer;
  for (int64_t i = 0; i <= layers; ++i) layer.push_back(static_cast<double>(i));
  std::vector<std::string> names;
  std::vector<double> at_input, plain, residual;
  double last = 0;
  std::vector<Figure> panels;
  for (const double gain : number_list("--gain", arguments.gains)) {
    ResidualOptions options = arguments.options;
    options.gain = gain;
    const ResidualGradients norms = residual_gradients(options);
    names.push_back(fmt::format("gain {:g}", gain));
    at_input.insert(at_input.end(), {norms.plain.front(), norms.residual.front()});
    plain.insert(plain.end(), norms.plain.begin(), norms.plain.end());
    residual.insert(residual.end(), norms.residual.begin(), norms.residual.end());
    last = norms.plain.back();
    Figure figure({.title = names.back(),
                   .x_label = "layer",
                   .y_label = "norm of the gradient",
                   .log_y = true});
    figure.line(numbers(layer), numbers(norms.plain), {.label = "plain"});
    figure.line(numbers(layer), numbers(norms.residual),
                {.label = "residual", .style = LineStyle::dashed});
    panels.push_back(figure);
  }
  const auto count = static_cast<int64_t>(names.size());
  lesson.number("layers", "layers", static_cast<double>(layers));
  lesson.number("last", "gradient norm at the output, whatever the gain", last, 4);
  lesson.table("at_input", "Gradient norm at the input", numbers(at_input).reshape({count, 2}),
               {names, {"plain", "residual"}});
  lesson.table("plain", "Plain, from the first layer to the output",
               numbers(plain).reshape({count, layers + 1}), {names, {}});
  lesson.table("residual", "Residual", numbers(residual).reshape({count, layers + 1}), {names, {}});
  lesson.figures("", "Norm of the gradient by layer", panels, 3, true);
  lesson.say(
      "What plain layers do to a gradient depends on the gain of their weights: through many "
      "layers small weights make it vanish, and large ones make it explode. A residual connection "
      "gives it a second way, past the layer, so that it does not vanish; nothing here keeps it "
      "from growing.");
}

}  // namespace

Demo residual_demo() {
  return {"residual",
          "The transformer block",
          "Residual connections give gradients a second way",
          "R67",
          "--layers 64 --gain 0.8",
          with_options<ResidualArguments>(add_residual_options, show_residual_demo)};
}

}  // namespace heed::cli
