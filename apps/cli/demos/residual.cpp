// Residual connections give gradients a second way.

#include "apps/cli/demos/demo.h"
#include "apps/cli/suggest.h"
#include "heed/textbook/residual_gradients.h"

namespace heed::cli {
namespace {

using ResidualArguments = ResidualOptions;

void options(Command& command, ResidualArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t most) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, most));
  };
  size("--layers", arguments.layers, "Layers (default 32)", 500);
  size("--width", arguments.width, "Width (default 64)", 512);
  size("--rows", arguments.rows, "Rows (default 8)", 256);
  command.add_option("--gain", arguments.gain, "Gain of the weights (default 0.5)")
      .type_name("G")
      .check(positive_number());
  add_seed(command, arguments.seed);
}

void show(const ResidualArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "plain      x_{l+1} = f(x_l)            dx_l = J' dx_{l+1}\n"
      "residual   x_{l+1} = x_l + f(x_l)      dx_l = dx_{l+1} + J' dx_{l+1}\n"
      "f(x) = tanh(x W)");
  const ResidualGradients norms = residual_gradients(arguments);
  std::vector<double> layer;
  for (size_t i = 0; i < norms.plain.size(); ++i) layer.push_back(static_cast<double>(i));
  lesson.number("plain_first", "gradient norm at the input, plain", norms.plain.front(), 4);
  lesson.number("residual_first", "gradient norm at the input, residual", norms.residual.front(),
                4);
  lesson.number("last", "gradient norm at the output", norms.plain.back(), 4);
  lesson.table("plain", "Plain, from the first layer to the output", numbers(norms.plain));
  lesson.table("residual", "Residual", numbers(norms.residual));
  Figure figure({.title = "Gradient norm by layer",
                 .x_label = "layer",
                 .y_label = "norm of the gradient",
                 .log_y = true});
  figure.line(numbers(layer), numbers(norms.plain), {.label = "plain"});
  figure.line(numbers(layer), numbers(norms.residual),
              {.label = "residual", .style = LineStyle::dashed});
  lesson.figure("", figure);
}

}  // namespace

Demo residual_demo() {
  return {"residual", "The transformer block",  "Residual connections give gradients a second way",
          "R67",      "--layers 64 --gain 0.8", with_options<ResidualArguments>(options, show)};
}

}  // namespace heed::cli
