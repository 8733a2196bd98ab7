// What a bounded kernel answers where it reaches no key.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/suggest.h"
#include "heed/attention/kernel_regression.h"
#include "heed/base/error.h"

namespace heed::cli {
namespace {

struct NoKeyInReachArguments {
  std::string x = "0;1;2;6";
  std::string y = "0;1;4;9";
  std::string at = "4";
  std::string kernel = "boxcar";
};

void options(Command& command, NoKeyInReachArguments& arguments) {
  command.add_option("--x", arguments.x, "Where data was seen (default 0;1;2;6)").type_name("ROWS");
  command.add_option("--y", arguments.y, "What was seen (default 0;1;4;9)").type_name("ROWS");
  command.add_option("--at", arguments.at, "Where to predict (default 4)").type_name("ROWS");
  command.add_option("--kernel", arguments.kernel, "boxcar (default), triangular, epanechnikov")
      .check(one_of({"boxcar", "triangular", "epanechnikov"}))
      .type_name("NAME");
}

void show(const NoKeyInReachArguments& arguments, Lesson& lesson) {
  const Tensor x = matrix_option("--x", arguments.x);
  const Tensor y = matrix_option("--y", arguments.y);
  const Tensor at = matrix_option("--at", arguments.at);
  Score kernel = Boxcar{};
  if (arguments.kernel == "triangular") kernel = Triangular{};
  if (arguments.kernel == "epanechnikov") kernel = Epanechnikov{};
  lesson.formula("f(q) = sum_i y_i K(q, x_i) / sum_i K(q, x_i) = 0 / 0 where every K is 0");
  const std::vector<std::pair<const char*, EmptyRule>> rules{
      {"uniform", EmptyRule::uniform}, {"nearest", EmptyRule::nearest}, {"nan", EmptyRule::nan}};
  for (const auto& [name, rule] : rules) {
    const Tensor answer = kernel_regression(at, x, y, {kernel, rule}).to(DType::f64).contiguous();
    lesson.number(name, fmt::format("rule {}", name), answer.data<double>()[0]);
  }
  std::string message = "in reach: no rule is needed";
  try {
    kernel_regression(at, x, y, {kernel, EmptyRule::error});
  } catch (const Error& error) {
    message = error.what();
  }
  lesson.say("Rule error, the default: " + message);
  lesson.say(
      "The notes are silent on this. heed stops by default; uniform answers the mean, nearest the "
      "value of the nearest key, nan says that it does not know. A Gaussian reaches everywhere.");
}

}  // namespace

Demo no_key_in_reach_demo() {
  return {"no-key-in-reach",
          "Kernel regression",
          "Rules for a kernel that reaches no key",
          "R20",
          "--at 10 --kernel triangular",
          with_options<NoKeyInReachArguments>(options, show)};
}

}  // namespace heed::cli
