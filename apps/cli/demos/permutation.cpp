// Exercise: shuffle or shift the pairs of keys and values.

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/permutation.h"

namespace heed::cli {
namespace {

using PermutationArguments = PermutationOptions;

void add_permutation_options(Command& command, PermutationArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, 4096));
  };
  size("--queries", arguments.queries, "L_q (default 3)");
  size("--keys", arguments.keys, "L_k (default 8)");
  size("--width", arguments.width, "Width (default 4)");
  command.add_option("--shift", arguments.shift, "Places the pairs move on (default 3)")
      .type_name("N")
      .check(whole_number(-4096, 4096));
  add_seed(command, arguments.seed);
}

void show_permutation_demo(const PermutationArguments& arguments, Lesson& lesson) {
  lesson.formula("y = sum_j w_j v_j is a sum: the order of its terms does not matter");
  const PermutationResult result = permutation_experiment(arguments);
  lesson.table("output", "Output", result.output, {numbered("query", arguments.queries), {}});
  lesson.table("shuffled", "Output, the pairs shuffled", result.shuffled,
               {numbered("query", arguments.queries), {}});
  lesson.number("shuffle_difference", "largest difference, pairs shuffled",
                result.shuffle_difference, 3);
  lesson.number("shift_difference", "largest difference, pairs shifted", result.shift_difference,
                3);
  lesson.number("keys_only_difference", "largest difference, keys shifted alone",
                result.keys_only_difference, 3);
  Figure bars({.title = "Difference to the original output", .x_label = "largest difference"});
  bars.bars(
      {"pairs shuffled", "pairs shifted", "keys shifted alone"},
      numbers({result.shuffle_difference, result.shift_difference, result.keys_only_difference}));
  lesson.figure("", bars);
  lesson.say(
      "What remains with the pairs moved together is the rounding of sums in another order. "
      "Attention sees a set of pairs; what should depend on the order must be in keys or values.");
}

}  // namespace

Demo permutation_demo() {
  return {"permutation",
          "The attention layer",
          "Exercise: shuffling and shifting the pairs",
          "R46, R51",
          "--keys 20 --shift 7",
          with_options<PermutationArguments>(add_permutation_options, show_permutation_demo)};
}

}  // namespace heed::cli
