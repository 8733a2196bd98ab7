// What a bounded kernel answers where it reaches no key.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/error.h"
#include "heed/regression/kernel_regression.h"

namespace heed::cli {
namespace {

struct NoKeyInReachArguments {
  std::string x = "0;1;2;6";
  std::string y = "0;1;4;9";
  std::string at = "4";
  std::string kernel = "boxcar";
};

void add_no_key_in_reach_options(Command& command, NoKeyInReachArguments& arguments) {
  command.add_option("--x", arguments.x, "Where data was seen (default 0;1;2;6)").type_name("ROWS");
  command.add_option("--y", arguments.y, "What was seen (default 0;1;4;9)").type_name("ROWS");
  command.add_option("--at", arguments.at, "Where to predict (default 4)").type_name("ROWS");
  command.add_option("--kernel", arguments.kernel, "boxcar (default), triangular, epanechnikov")
      .check(one_of({"boxcar", "triangular", "epanechnikov"}))
      .type_name("NAME");
}

struct ReachData {
  Tensor x, y, at;
};

// The fit where it reaches a key, the data, and what the rules answer at the place asked for. Of
// more than one coordinate, the answers alone.
void draw_reach(const ReachData& data, const Score& kernel, const std::vector<double>& answers,
                Lesson& lesson) {
  if (data.x.dim(1) != 1 || data.y.dim(1) != 1) {
    Figure bars({.title = "What the rules answer", .x_label = "answer"});
    bars.bars({"uniform", "nearest"}, numbers({answers[0], answers[1]}));
    lesson.figure("", bars);
    return;
  }
  std::vector<double> places = numbers_of(data.x);
  const double query = numbers_of(data.at)[0];
  places.push_back(query);
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  std::vector<double> grid;
  for (int i = 0; i <= 400; ++i) grid.push_back(*low - 1 + (*high - *low + 2) * i / 400);
  const Tensor fit =
      kernel_regression(numbers(grid).reshape({401, 1}), data.x, data.y, {kernel, EmptyRule::nan});
  Figure figure({.title = "No line where no key is in reach", .x_label = "x", .y_label = "y"});
  figure.line(numbers(grid), fit.reshape({401}), {.label = "fit", .color = 0});
  figure.scatter(data.x, data.y, {.label = "data", .color = 1});
  const Tensor at = numbers({query});
  figure.scatter(at, numbers({answers[0]}), {.label = "uniform", .color = 2});
  figure.scatter(at, numbers({answers[1]}), {.label = "nearest", .color = 3});
  lesson.figure("", figure);
}

void show_no_key_in_reach_demo(const NoKeyInReachArguments& arguments, Lesson& lesson) {
  const Tensor x = matrix_option("--x", arguments.x);
  const Tensor y = matrix_option("--y", arguments.y);
  const Tensor at = matrix_option("--at", arguments.at);
  Score kernel = Boxcar{};
  if (arguments.kernel == "triangular") kernel = Triangular{};
  if (arguments.kernel == "epanechnikov") kernel = Epanechnikov{};
  lesson.formula("f(q) = sum_i y_i K(q, x_i) / sum_i K(q, x_i) = 0 / 0 where every K is 0");
  lesson.say(fmt::format("Seen: {} with values {}; a {} of width 1 at {}.", rows_text(x),
                         rows_text(y), arguments.kernel, rows_text(at)));
  const std::vector<std::pair<const char*, EmptyRule>> rules{
      {"uniform", EmptyRule::uniform}, {"nearest", EmptyRule::nearest}, {"nan", EmptyRule::nan}};
  std::vector<double> answers;
  for (const auto& [name, rule] : rules) {
    const Tensor answer = kernel_regression(at, x, y, {kernel, rule}).to(DType::f64).contiguous();
    answers.push_back(std::as_const(answer).data<double>()[0]);
    lesson.number(name, fmt::format("rule {}", name), answers.back());
  }
  std::string message = "in reach: no rule is needed";
  try {
    kernel_regression(at, x, y, {kernel, EmptyRule::error});
  } catch (const Error& error) {
    message = error.what();
  }
  lesson.say("Rule error, the default: " + message);
  draw_reach({x, y, at}, kernel, answers, lesson);
  lesson.say(
      "The notes are silent on this. heed stops by default; uniform answers the mean, nearest the "
      "value of the nearest key, nan says that it does not know. A Gaussian reaches everywhere.");
}

}  // namespace

Demo no_key_in_reach_demo() {
  return {
      "no-key-in-reach",
      "Kernel regression",
      "Rules for a kernel that reaches no key",
      "R20",
      "--at 10 --kernel triangular",
      with_options<NoKeyInReachArguments>(add_no_key_in_reach_options, show_no_key_in_reach_demo)};
}

}  // namespace heed::cli
