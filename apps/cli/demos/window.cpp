// Attention to a neighborhood: fewer pairs.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/weights.h"

namespace heed::cli {
namespace {

struct WindowArguments {
  int64_t length = 16;
  int64_t left = 3;
  int64_t right = 0;
  uint64_t seed = 1;
};

void add_window_options(Command& command, WindowArguments& arguments) {
  command.add_option("--length", arguments.length, "Tokens (default 16)")
      .type_name("N")
      .check(whole_number(1, 500));
  command.add_option("--left", arguments.left, "Keys before the query (default 3)")
      .type_name("N")
      .check(whole_number(0, 500));
  command.add_option("--right", arguments.right, "Keys after it (default 0)")
      .type_name("N")
      .check(whole_number(0, 500));
  add_seed(command, arguments.seed);
}

void show_window_demo(const WindowArguments& arguments, Lesson& lesson) {
  const int64_t L = arguments.length;
  const Tensor x = normal_numbers({L, 4}, arguments.seed);
  lesson.formula("query i sees the keys i - left <= j <= i + right");
  const Rows rows = Rows::single(L);
  const Tensor weights =
      attention_weights(x, x, rows, rows, {.mask = Mask::window(arguments.left, arguments.right)});
  double pairs = 0;
  for (int64_t i = 0; i < weights.size(); ++i) pairs += weights.data<double>()[i] > 0 ? 1 : 0;
  lesson.number("pairs", "pairs in the window", pairs);
  lesson.number("all_pairs", "pairs in all: L^2", static_cast<double>(L * L));
  Figure map({.title = "Weights in a window", .x_label = "key", .y_label = "query"});
  map.heat_map(weights,
               {.row_labels = numbered("", L), .column_labels = numbered("", L), .low = 0});
  lesson.figure("", map);
  lesson.say("The cost grows with L times the window, not with L^2.");
}

}  // namespace

Demo window_demo() {
  return {"window",
          "Masks and batches",
          "Attention to a neighborhood",
          "R36",
          "--left 2 --right 2",
          with_options<WindowArguments>(add_window_options, show_window_demo)};
}

}  // namespace heed::cli
