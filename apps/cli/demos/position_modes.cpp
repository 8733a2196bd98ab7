// Positions added, appended, learned, and hybrid past the training length.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "apps/cli/options/named_options.h"
#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/error.h"
#include "heed/nn/positions.h"

namespace heed::cli {
namespace {

struct PositionModesArguments {
  int64_t width = 8;
  int64_t appended = 4;
  int64_t learned = 6;
  int64_t length = 9;
  uint64_t seed = 1;
};

void add_position_modes_options(Command& command, PositionModesArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(2, 512));
  };
  size("--width", arguments.width, "Width of the embeddings (default 8)");
  size("--appended", arguments.appended, "Features appended (default 4)");
  size("--learned", arguments.learned, "Positions seen in training (default 6)");
  size("--length", arguments.length, "Positions asked for (default 9)");
  add_seed(command, arguments.seed);
}

void show_position_modes_demo(const PositionModesArguments& arguments, Lesson& lesson) {
  const NoGrad no_gradients;
  const int64_t L = arguments.length;
  const Tensor x = Tensor::zeros({L, arguments.width}, DType::f64);  // what is added shows alone
  std::vector<int64_t> places;
  for (int64_t i = 0; i < L; ++i) places.push_back(i);
  lesson.formula(
      "add      x'_i = x_i + phi(i)        width as before\n"
      "append   x'_i = [x_i; phi(i)]       wider\n"
      "hybrid   phi = sinusoids + learned correction for the first positions");
  const auto apply = [&](PositionKind kind, PositionMode mode) {
    Parameters parameters({.seed = arguments.seed, .type = DType::f64});
    const int64_t width = mode == PositionMode::add ? arguments.width : arguments.appended;
    const Positions positions(ParameterScope(parameters).in("positions"),
                              {.kind = kind,
                               .mode = mode,
                               .width = width,
                               .learned = arguments.learned,
                               .deviation = 0.3});
    return positions(x, places).value();
  };
  const Tensor added = apply(PositionKind::sinusoidal, PositionMode::add);
  const Tensor appended = apply(PositionKind::sinusoidal, PositionMode::append);
  const Tensor hybrid = apply(PositionKind::hybrid, PositionMode::add);
  lesson.number("added_width", "width after adding", static_cast<double>(added.dim(1)));
  lesson.number("appended_width", "width after appending", static_cast<double>(appended.dim(1)));
  std::string message = "within the learned positions: no error";
  bool fails = false;
  try {
    apply(PositionKind::learned, PositionMode::add);
  } catch (const Error& error) {
    message = with_option_names(error.what());
    fails = true;
  }
  lesson.fact("learned_fails",
              fmt::format("a learned table of {} fails at {} positions", arguments.learned, L),
              fails);
  lesson.fact("hybrid_works", "the hybrid goes on past them", hybrid.dim(0) == L);
  double difference = 0;
  for (int64_t i = arguments.learned * arguments.width; i < hybrid.size(); ++i) {
    difference = std::max(difference, std::abs(std::as_const(hybrid).data<double>()[i] -
                                               std::as_const(added).data<double>()[i]));
  }
  lesson.number("hybrid_difference", "hybrid against sinusoids, later positions", difference);
  lesson.say("Learned: " + message);
  const auto map = [&](const char* title, const Tensor& rows) {
    Figure figure({.title = title, .x_label = "feature", .y_label = "position"});
    figure.heat_map(rows);
    return figure;
  };
  lesson.figures(
      "", "What the rows are told about their place (embeddings 0)",
      {map("sinusoids added", added), map("sinusoids appended", appended), map("hybrid", hybrid)},
      3, false, 2);
  lesson.erratum(22, "the notes say that the paper appends the code; it adds it. heed does both.");
}

}  // namespace

Demo position_modes_demo() {
  return {
      "position-modes",
      "Positions",
      "Added, appended, learned, hybrid",
      "R76-R78, R83",
      "--length 20",
      with_options<PositionModesArguments>(add_position_modes_options, show_position_modes_demo)};
}

}  // namespace heed::cli
