#include "apps/cli/demos/complexity_report.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/options/option_checks.h"

namespace heed::cli {
namespace {

constexpr size_t kTimed = 3;  // attention, recurrence and convolution are drawn over L

std::vector<std::string> cost_names(const std::vector<LayerCost>& costs) {
  std::vector<std::string> names;
  names.reserve(costs.size());
  for (const LayerCost& cost : costs) names.push_back(cost.name);
  return names;
}

std::string crossing_text(const Crossover& crossing) {
  const std::string own = crossing.length <= 1
                              ? std::string("at every length")
                              : fmt::format("from L = {:.0f} on", std::ceil(crossing.length));
  return fmt::format(
      "Self-attention needs more multiply-adds than {} {}; by the notes' formulas "
      "only from L = {:.0f} on.",
      crossing.layer, own, std::ceil(crossing.textbook_length));
}

}  // namespace

void add_layer_sizes(Command& command, LayerSizes& sizes) {
  const auto size = [&](const char* name, int64_t& slot, const std::string& help) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, 1 << 20));
  };
  size("--L", sizes.length, "Rows of the sequence (default 128)");
  size("--d", sizes.width, "Width of a row (default 512)");
  size("--dk", sizes.key_width, "Width of queries and keys (default 64)");
  size("--dv", sizes.value_width, "Width of the output (default 64)");
  size("--kernel", sizes.kernel, "Rows that a convolution sees, odd (default 5)");
}

std::vector<Figure> complexity_figures(const LayerSizes& sizes, bool measure) {
  std::vector<double> lengths;
  std::vector<std::vector<double>> operations(4), seconds(kTimed);
  std::vector<std::string> names;
  // A doubling of L per step: quadratic cost shows as a line twice as steep.
  for (int64_t L = 16; L <= 8192; L *= 2) {
    LayerSizes at = sizes;
    at.length = L;
    const bool is_timed = measure && L <= 2048;
    const std::vector<LayerCost> costs =
        layer_costs(at, {.measure = is_timed, .largest = is_timed ? 4e6 : 0});
    lengths.push_back(static_cast<double>(L));
    for (size_t i = 0; i < operations.size(); ++i) operations[i].push_back(costs[i].operations);
    for (size_t i = 0; i < kTimed; ++i) {
      seconds[i].push_back(costs[i].seconds > 0 ? costs[i].seconds * 1e3 : NAN);
    }
    names = cost_names(costs);
  }
  Figure counts(
      {.title = fmt::format("Multiply-adds, d = {}, d_k = {}, d_v = {}, k = {}", sizes.width,
                            sizes.key_width, sizes.value_width, sizes.kernel),
       .x_label = "L",
       .y_label = "multiply-adds",
       .log_x = true,
       .log_y = true});
  for (size_t i = 0; i < operations.size(); ++i) {
    counts.line(numbers(lengths), numbers(operations[i]), {.label = names[i]});
  }
  std::vector<double> x, y;
  for (const Crossover& crossing : attention_crossovers(sizes)) {
    if (crossing.length < lengths.front() || crossing.length > lengths.back()) continue;
    LayerSizes at = sizes;
    at.length = std::llround(crossing.length);
    x.push_back(crossing.length);
    y.push_back(layer_costs(at, {.largest = 0})[0].operations);
  }
  if (!x.empty()) {
    const std::string label = fmt::format("crossover, L = {:.0f}", fmt::join(x, " and "));
    counts.scatter(numbers(x), numbers(y), {.label = label, .color = 6});
  }
  std::vector<Figure> figures{counts};
  if (measure) {
    Figure times({.title = "Measured time of a forward pass",
                  .x_label = "L",
                  .y_label = "milliseconds",
                  .log_x = true,
                  .log_y = true});
    for (size_t i = 0; i < kTimed; ++i) {
      times.line(numbers(lengths), numbers(seconds[i]), {.label = names[i]});
    }
    figures.push_back(times);
  }
  return figures;
}

void show_complexity(const LayerSizes& sizes, bool measure, Lesson& lesson) {
  const std::vector<LayerCost> costs = layer_costs(sizes, {.measure = measure});
  std::string formulas;
  for (const LayerCost& cost : costs) {
    formulas += fmt::format("{:<16}{:<38}{}\n", cost.name, cost.operations_formula,
                            cost.parameters_formula);
  }
  lesson.formula(fmt::format("{:<16}{:<38}{}\n", "layer", "multiply-adds", "parameters") +
                 formulas);
  const auto n = static_cast<int64_t>(costs.size());
  Tensor operations = Tensor::empty({n, 3}, DType::f64);
  Tensor parameters = Tensor::empty({n, 3}, DType::f64);
  std::vector<double> times;
  const auto or_gap = [](double value) { return value > 0 ? value : NAN; };
  for (int64_t i = 0; i < n; ++i) {
    const LayerCost& cost = costs[i];
    double* o = operations.data<double>() + 3 * i;
    o[0] = or_gap(cost.textbook_operations);
    o[1] = cost.operations;
    o[2] = cost.is_built ? cost.counted_operations : NAN;
    double* p = parameters.data<double>() + 3 * i;
    p[0] = or_gap(cost.textbook_parameters);
    p[1] = cost.parameters;
    p[2] = cost.is_built ? static_cast<double>(cost.counted_parameters) : NAN;
    times.push_back(cost.seconds > 0 ? cost.seconds * 1e3 : NAN);
  }
  const std::vector<std::string> names = cost_names(costs);
  const Labels labels{names, {"notes", "formula", "counted"}};
  lesson.table("multiply_adds", fmt::format("Multiply-adds for L = {}", sizes.length), operations,
               labels);
  lesson.table("parameters", "Parameters", parameters, labels);
  if (measure) {
    lesson.table("milliseconds", "Milliseconds of a forward pass, float32",
                 Tensor::from(times, {n, 1}), {names, {"ms"}});
  }
  LayerSizes twice = sizes;
  if (sizes.length <= (1 << 19)) {
    twice.length = 2 * sizes.length;
    const double pairs =
        costs[0].operations - static_cast<double>(sizes.length) * costs[0].parameters;
    const LayerCost doubled = layer_costs(twice, {.largest = 0})[0];
    const double more = doubled.operations - static_cast<double>(twice.length) * doubled.parameters;
    lesson.number("pairs_ratio", "the L^2 part at twice the length, times", more / pairs);
    lesson.number("doubling_ratio", "self-attention at twice the length, times",
                  doubled.operations / costs[0].operations, 4);
  }
  std::string crossings;
  for (const Crossover& crossing : attention_crossovers(sizes)) {
    lesson.number("crossover_" + crossing.layer,
                  fmt::format("L from which it needs more than {}", crossing.layer),
                  std::ceil(crossing.length));
    crossings += crossing_text(crossing) + " ";
  }
  lesson.say(crossings);
  const std::vector<Figure> figures = complexity_figures(sizes, measure);
  lesson.figures("", "What layers cost", figures, static_cast<int>(figures.size()), false, 0);
  lesson.erratum(
      10,
      "the notes give L^2 d_k for self-attention, without the weighted sum and the "
      "projections, which dominate for short L; and L d d_v for a recurrence, without the "
      "recurrent product that their parameter count has.");
  lesson.erratum(
      11,
      "a dense layer from L d numbers to L d_v has L^2 d d_v parameters, not L d d_v; that "
      "is for one output vector. With one number per pair of rows it is L^2.");
  lesson.erratum(
      23,
      "self-attention has fewer parameters than a convolution only if 2 d_k + d_v < k d_v: "
      "equal for k = 3 and d_k = d_v, more for k = 1.");
}

}  // namespace heed::cli
