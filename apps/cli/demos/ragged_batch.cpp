// A batch as one tensor: padded, or all rows one after the other.

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/attention.h"

namespace heed::cli {
namespace {

struct RaggedBatchArguments {
  std::string lengths = "4,3,2";
  int64_t width = 6;
  uint64_t seed = 1;
};

void add_ragged_batch_options(Command& command, RaggedBatchArguments& arguments) {
  command.add_option("--lengths", arguments.lengths, "Tokens of each sentence (default 4,3,2)")
      .type_name("NUMBERS");
  command.add_option("--width", arguments.width, "Width of the rows (default 6)")
      .type_name("N")
      .check(whole_number(1, 4096));
  add_seed(command, arguments.seed);
}

void show_ragged_batch_demo(const RaggedBatchArguments& arguments, Lesson& lesson) {
  const std::vector<int64_t> lengths = whole_list("--lengths", arguments.lengths);
  int64_t longest = 0;
  for (const int64_t length : lengths) {
    if (length < 0 || length > 100000) wrong_usage("--lengths must be from 0 to 100000");
    longest = std::max(longest, length);
  }
  const auto B = static_cast<int64_t>(lengths.size());
  const Rows rows = Rows::from_lengths(lengths);
  lesson.formula(
      "padded   B x T x C, T the longest: blanks that a mask must exclude\n"
      "ragged   N x C, N the sum of the lengths: no blanks");
  lesson.number("padded_rows", "rows of the padded batch: B T", static_cast<double>(B * longest));
  lesson.number("ragged_rows", "rows of the ragged batch: N", static_cast<double>(rows.total()));
  lesson.number("padded_pairs", "pairs with padding: B T^2",
                static_cast<double>(B * longest * longest));
  double pairs = 0;
  for (const int64_t length : lengths) pairs += static_cast<double>(length * length);
  lesson.number("ragged_pairs", "pairs without: sum of T_b^2", pairs);

  const NoGrad no_gradients;
  const Tensor x =
      normal_numbers({rows.total(), arguments.width}, arguments.seed, 0).to(DType::f32);
  const Tensor together = attention(x, x, x, rows, rows).value();
  bool is_same = true;
  for (int64_t b = 0; b < B; ++b) {
    const Tensor part = x.slice(0, rows.begin(b), rows.end(b));
    const Rows own = Rows::single(rows.length(b));
    const Tensor alone = attention(part, part, part, own, own).value();
    const Tensor among = together.slice(0, rows.begin(b), rows.end(b));
    for (int64_t i = 0; i < alone.size(); ++i) {
      is_same = is_same && alone.data<float>()[i] == among.data<float>()[i];
    }
  }
  lesson.fact("same_bits", "each sentence alone gives the same bits", is_same);
  Figure bars({.title = "Pairs of a query and a key", .x_label = "pairs"});
  bars.bars({"padded", "ragged"}, numbers({static_cast<double>(B * longest * longest), pairs}));
  lesson.figure("", bars);
}

}  // namespace

Demo ragged_batch_demo() {
  return {"ragged-batch",
          "Masks and batches",
          "Sentences of different length in one tensor",
          "R38, R39",
          "--lengths 128,5,7,6",
          with_options<RaggedBatchArguments>(add_ragged_batch_options, show_ragged_batch_demo)};
}

}  // namespace heed::cli
