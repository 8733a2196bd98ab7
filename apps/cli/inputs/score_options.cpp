#include "apps/cli/inputs/score_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/inputs/typed_array.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/io/array.h"

namespace heed::cli {
namespace {

bool has_width(const std::string& score) {
  return score == "gaussian" || (is_kernel(score) && score != "constant");
}

// A parameter from a file or typed; vectors may be typed as a row or a column.
Variable parameter(const std::string& option, const std::string& text, int rank, DType type) {
  Tensor array = converted(option, load_array(text, DType::f64), type);
  if (rank == 1 && array.rank() == 2 && (array.dim(0) == 1 || array.dim(1) == 1)) {
    array = array.reshape({array.size()});
  }
  if (array.rank() != rank) {
    fail("{}: expected a {}, got {}", option, rank == 1 ? "vector" : "matrix", array.text());
  }
  return array;
}

Variable width_of(const ScoreArguments& arguments, DType type) {
  if (arguments.width.empty()) return {};
  const std::vector<double> widths = number_list("--width", arguments.width);
  const Tensor array = Tensor::from(widths, {static_cast<int64_t>(widths.size())});
  return converted("--width", array, type);
}

}  // namespace

void add_width_option(Command& command, ScoreArguments& arguments) {
  command
      .add_option("--width", arguments.width,
                  "Width of gaussian and the kernels: one, or one per coordinate (default 1)")
      .type_name("W[,W..]")
      .group(kScoreGroup);
}

void add_score_options(Command& command, ScoreArguments& arguments) {
  command
      .add_option("--score", arguments.score,
                  "How well a key fits a query: scaled-dot (default), dot, "
                  "gaussian, additive, bilinear, boxcar, triangular, epanechnikov or constant")
      .check(one_of({"scaled-dot", "dot", "gaussian", "additive", "bilinear", "boxcar",
                     "triangular", "epanechnikov", "constant"}))
      .type_name("NAME")
      .group(kScoreGroup);
  command.add_option("--scale", arguments.scale, "Factor of scaled-dot (default 1/sqrt(D))")
      .check(finite_number())
      .type_name("X")
      .group(kScoreGroup);
  add_width_option(command, arguments);
  const auto matrix = [&](const char* name, std::string& slot, const char* help) {
    command.add_option(name, slot, help).type_name("ARRAY").group(kScoreGroup);
  };
  matrix("--w-q", arguments.w_q, "additive: W_q [h, Dq] in w_v' tanh(W_q q + W_k k)");
  matrix("--w-k", arguments.w_k, "additive: W_k [h, Dk]");
  matrix("--w-v", arguments.w_v, "additive: w_v [h]");
  matrix("--m", arguments.m, "bilinear: M [Dq, Dk] in q' M k");
}

void check_width(const ScoreArguments& arguments) {
  if (arguments.width.empty()) return;
  for (const double width : number_list("--width", arguments.width)) {
    if (!(width > 0)) wrong_usage(fmt::format("--width: {} is not positive", width));
  }
}

void check_score_options(const ScoreArguments& arguments) {
  const std::string& score = arguments.score;
  const auto only_for = [&](bool given, const char* option, bool fits, const char* scores) {
    if (given && !fits) {
      wrong_usage(fmt::format("{} goes with --score {}, not with {}", option, scores, score));
    }
  };
  const auto needed = [&](const std::string& value, const char* option) {
    if (value.empty()) wrong_usage(fmt::format("--score {} needs {}", score, option));
  };
  const bool additive = score == "additive";
  const bool bilinear = score == "bilinear";
  only_for(arguments.scale.has_value(), "--scale", score == "scaled-dot", "scaled-dot");
  only_for(!arguments.width.empty(), "--width", has_width(score),
           "gaussian, boxcar, triangular or epanechnikov");
  only_for(!arguments.w_q.empty(), "--w-q", additive, "additive");
  only_for(!arguments.w_k.empty(), "--w-k", additive, "additive");
  only_for(!arguments.w_v.empty(), "--w-v", additive, "additive");
  only_for(!arguments.m.empty(), "--m", bilinear, "bilinear");
  check_width(arguments);
  if (bilinear) needed(arguments.m, "--m");
  if (additive) {
    needed(arguments.w_q, "--w-q");
    needed(arguments.w_k, "--w-k");
    needed(arguments.w_v, "--w-v");
  }
}

Score make_score(const ScoreArguments& arguments, DType type) {
  const std::string& score = arguments.score;
  if (score == "dot") return Dot{};
  if (score == "bilinear") return Bilinear{parameter("--m", arguments.m, 2, type)};
  if (score == "additive") {
    return Additive{parameter("--w-q", arguments.w_q, 2, type),
                    parameter("--w-k", arguments.w_k, 2, type),
                    parameter("--w-v", arguments.w_v, 1, type)};
  }
  if (score == "gaussian") return Gaussian{width_of(arguments, type)};
  if (score == "boxcar") return Boxcar{width_of(arguments, type)};
  if (score == "triangular") return Triangular{width_of(arguments, type)};
  if (score == "epanechnikov") return Epanechnikov{width_of(arguments, type)};
  if (score == "constant") return Constant{};
  return ScaledDot{arguments.scale};
}

bool is_kernel(const std::string& score) {
  constexpr std::string_view kKernels[] = {"boxcar", "triangular", "epanechnikov", "constant"};
  return std::find(std::begin(kKernels), std::end(kKernels), score) != std::end(kKernels);
}

}  // namespace heed::cli
