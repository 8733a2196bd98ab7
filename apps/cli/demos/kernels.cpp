// The kernels of kernel regression as curves.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/kernel_curve.h"

namespace heed::cli {
namespace {

struct KernelsArguments {
  double width = 1;
  std::string at = "0,0.5,1,1.5";
};

void add_kernels_options(Command& command, KernelsArguments& arguments) {
  command.add_option("--width", arguments.width, "Width of the kernels (default 1)")
      .type_name("H")
      .check(positive_number());
  command.add_option("--at", arguments.at, "Distances to print (default 0,0.5,1,1.5)")
      .type_name("NUMBERS");
}

void show_kernels_demo(const KernelsArguments& arguments, Lesson& lesson) {
  const Tensor width = Tensor::full({1}, arguments.width, DType::f64);
  const std::vector<std::pair<std::string, Score>> kernels{{"Gaussian", Gaussian{width}},
                                                           {"boxcar", Boxcar{width}},
                                                           {"constant", Constant{}},
                                                           {"triangular", Triangular{width}},
                                                           {"Epanechnikov", Epanechnikov{width}}};
  lesson.formula(
      "u = |q - k| / width\n"
      "Gaussian      exp(-u^2 / 2)\n"
      "boxcar        1 if u <= 1, else 0\n"
      "constant      1\n"
      "triangular    max(0, 1 - u)\n"
      "Epanechnikov  max(0, 1 - u^2)");
  std::vector<double> x;
  x.reserve(251);
  for (int i = 0; i < 251; ++i) x.push_back(-2.5 + 0.02 * i);
  const std::vector<double> at = number_list("--at", arguments.at);
  std::vector<Figure> panels;
  std::vector<std::string> names;
  Tensor values = Tensor::empty(
      {static_cast<int64_t>(kernels.size()), static_cast<int64_t>(at.size())}, DType::f64);
  for (const auto& [name, score] : kernels) {
    Figure panel({.title = name, .x_label = "q - k", .y_label = "kernel"});
    panel.line(numbers(x), kernel_curve(score, x));
    panels.push_back(panel);
    const auto row = static_cast<int64_t>(names.size());
    values.slice(0, row, row + 1)
        .copy_from(kernel_curve(score, at).reshape({1, static_cast<int64_t>(at.size())}));
    names.push_back(name);
  }
  std::vector<std::string> columns;
  columns.reserve(at.size());
  for (const double distance : at) columns.push_back(fmt::format("{:g}", distance));
  lesson.table("values", "Values at these distances", values, {names, columns});
  lesson.figures("", fmt::format("Kernels of width {:g}", arguments.width), panels, 3, true);
  lesson.erratum(1,
                 "the notes call max(0, 1 - u) \"Epanechikov\"; that is the triangular kernel. "
                 "Epanechnikov's is max(0, 1 - u^2), up to a factor.");
  lesson.erratum(28, "the notes give the boxcar without its other half: 0 where u > 1.");
}

}  // namespace

Demo kernels_demo() {
  return {"kernels",
          "Kernel regression",
          "The kernels as curves",
          "R11-R14",
          "--width 0.5",
          with_options<KernelsArguments>(add_kernels_options, show_kernels_demo)};
}

}  // namespace heed::cli
