// Layer normalization: the standard form, the code of the notes, and their formula.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/layer_norm_variants.h"

namespace heed::cli {
namespace {

struct LayerNormArguments {
  std::string x = "1,0,0,0";
  double epsilon = 1e-6;
  std::string variant = "all";
};

void add_layer_norm_options(Command& command, LayerNormArguments& arguments) {
  command.add_option("--x", arguments.x, "A row (default 1,0,0,0)").type_name("NUMBERS");
  command.add_option("--epsilon", arguments.epsilon, "epsilon (default 1e-6)")
      .type_name("E")
      .check(number(0, 1));
  command
      .add_option("--variant", arguments.variant,
                  "standard, textbook, by-variance or all (default)")
      .check(one_of({"standard", "textbook", "by-variance", "all"}))
      .type_name("NAME");
}

void show_layer_norm_demo(const LayerNormArguments& arguments, Lesson& lesson) {
  const std::vector<double> x = number_list("--x", arguments.x);
  const bool is_equal = std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>()) == x.end();
  if (arguments.epsilon == 0 && is_equal) {
    wrong_usage("--epsilon 0 with equal numbers in --x is 0 / 0");
  }
  lesson.formula(
      "y_i = xhat_i gamma_i + beta_i\n"
      "standard     xhat_i = (x_i - mean) / sqrt(var + eps)\n"
      "textbook     xhat_i = (x_i - mean) / (s + eps)\n"
      "by variance  xhat_i = (x_i - mean) / (var + eps)     printed so: a mistake\n"
      "var = sum_i (x_i - mean)^2 / H     s^2 = sum_i (x_i - mean)^2 / (H - 1)");
  const LayerNormVariants result = layer_norm_variants(x, arguments.epsilon);
  lesson.number("mean", "mean", result.mean);
  lesson.number("variance", "variance (divided by H)", result.variance);
  lesson.number("unbiased_deviation", "standard deviation (divided by H - 1)",
                result.unbiased_deviation);
  const std::vector<std::pair<std::string, const std::vector<double>*>> variants{
      {"standard", &result.standard},
      {"textbook", &result.textbook},
      {"by-variance", &result.by_variance}};
  Figure bars({.title = "The row after normalization", .x_label = "value"});
  for (const auto& [name, y] : variants) {
    if (arguments.variant != "all" && arguments.variant != name) continue;
    double mean = 0;
    double variance = 0;
    for (const double value : *y) mean += value / static_cast<double>(y->size());
    for (const double value : *y) {
      variance += (value - mean) * (value - mean) / static_cast<double>(y->size());
    }
    lesson.table(name, fmt::format("{}: variance {:.4g}", name, variance), numbers(*y), {}, 6);
    bars.bars(numbered("x", static_cast<int64_t>(x.size())), numbers(*y), {.label = name});
  }
  lesson.figure("", bars);
  lesson.erratum(2, "the formula of the notes divides by the variance; divide by its root.");
  lesson.erratum(
      3,
      "formula and code differ: epsilon inside the root or added to it, H or H - 1. heed "
      "has both, ln = standard and ln = textbook.");
  lesson.erratum(4, "beta has an index like gamma: beta_i.");
}

}  // namespace

Demo layer_norm_demo() {
  return {"layer-norm",
          "The transformer block",
          "Three readings of layer normalization",
          "R68-R70",
          "--x 1,2,4 --variant textbook",
          with_options<LayerNormArguments>(add_layer_norm_options, show_layer_norm_demo)};
}

}  // namespace heed::cli
