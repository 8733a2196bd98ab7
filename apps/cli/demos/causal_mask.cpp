// Under a causal mask, later tokens change nothing before them.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/attention.h"
#include "heed/attention/weights.h"

namespace heed::cli {
namespace {

struct CausalMaskArguments {
  int64_t length = 8;
  int64_t width = 4;
  int64_t changed = 5;
  uint64_t seed = 1;
};

void add_causal_mask_options(Command& command, CausalMaskArguments& arguments) {
  command.add_option("--length", arguments.length, "Tokens (default 8)")
      .type_name("N")
      .check(whole_number(1, 500));
  command.add_option("--width", arguments.width, "Width of the rows (default 4)")
      .type_name("N")
      .check(whole_number(1, 1000));
  command.add_option("--change", arguments.changed, "The token that is changed (default 5)")
      .type_name("I")
      .check(whole_number(1, 500));
  add_seed(command, arguments.seed);
}

void show_causal_mask_demo(const CausalMaskArguments& arguments, Lesson& lesson) {
  const int64_t L = arguments.length;
  if (arguments.changed > L) wrong_usage("--change is beyond the --length");
  const Tensor x = normal_numbers({L, arguments.width}, arguments.seed, 0).to(DType::f32);
  Tensor other = x.clone();
  other.slice(0, arguments.changed - 1, arguments.changed).fill(3);
  const NoGrad no_gradients;
  const Rows rows = Rows::single(L);
  lesson.formula("query i sees the keys j <= i, in training and in inference alike");
  const auto differing = [&](const Mask& mask) {
    const AttentionOptions options{.mask = mask};
    const Tensor a = attention(x, x, x, rows, rows, options).value();
    const Tensor b = attention(other, other, other, rows, rows, options).value();
    std::vector<double> result;
    for (int64_t i = 0; i < L; ++i) {
      bool is_same = true;
      for (int64_t c = 0; c < arguments.width; ++c) {
        is_same = is_same && a.data<float>()[i * arguments.width + c] ==
                                 b.data<float>()[i * arguments.width + c];
      }
      result.push_back(is_same ? 0 : 1);
    }
    return result;
  };
  std::vector<double> all = differing(Mask::causal());
  const std::vector<double> full = differing({});
  all.insert(all.end(), full.begin(), full.end());
  lesson.table("changed",
               fmt::format("Outputs that differ in any bit when token {} changes (1: differs)",
                           arguments.changed),
               Tensor::from(all, {2, L}), {{"causal", "full"}, numbered("", L)});
  Figure map({.title = "Causal weights", .x_label = "key", .y_label = "query"});
  map.heat_map(attention_weights(x, x, rows, rows, {.mask = Mask::causal()}),
               {.row_labels = numbered("", L), .column_labels = numbered("", L), .low = 0});
  lesson.figure("", map);
}

}  // namespace

Demo causal_mask_demo() {
  return {"causal-mask",
          "Masks and batches",
          "Later tokens change nothing before them",
          "R35",
          "--change 3",
          with_options<CausalMaskArguments>(add_causal_mask_options, show_causal_mask_demo)};
}

}  // namespace heed::cli
