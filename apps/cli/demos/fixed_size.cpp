// Models with a fixed input size cut and fill; attention need not.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/attention.h"
#include "heed/textbook/fit_length.h"

namespace heed::cli {
namespace {

struct FixedSizeArguments {
  int64_t tokens = 5;
  int64_t size = 8;
  std::string keep = "first";
  uint64_t seed = 1;
};

void add_fixed_size_options(Command& command, FixedSizeArguments& arguments) {
  command.add_option("--tokens", arguments.tokens, "Length of the sentence (default 5)")
      .type_name("N")
      .check(whole_number(1, 10000));
  command.add_option("--size", arguments.size, "Input size of the model (default 8)")
      .type_name("N")
      .check(whole_number(1, 10000));
  command.add_option("--keep", arguments.keep, "What is kept of a long one: first, last, middle")
      .check(one_of({"first", "last", "middle"}))
      .type_name("PART");
  add_seed(command, arguments.seed);
}

double difference(const Tensor& a, const Tensor& b) {
  double result = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    result = std::max(result, std::abs(a.data<double>()[i] - b.data<double>()[i]));
  }
  return result;
}

void show_fixed_size_demo(const FixedSizeArguments& arguments, Lesson& lesson) {
  const Tensor x = normal_numbers({arguments.tokens, 4}, arguments.seed);
  const KeepPart keep = arguments.keep == "last"     ? KeepPart::last
                        : arguments.keep == "middle" ? KeepPart::middle
                                                     : KeepPart::first;
  const FittedRows fitted = fit_length(x, arguments.size, keep);
  lesson.formula("cut what is longer than the size, fill what is shorter with blanks");
  lesson.number("valid", "rows kept", static_cast<double>(fitted.valid));
  lesson.number("dropped", "rows lost", static_cast<double>(fitted.dropped));
  lesson.number("blank", "blank rows", static_cast<double>(arguments.size - fitted.valid));
  if (fitted.dropped > 0) {
    lesson.say(fmt::format("Warning: {} of {} tokens were cut off and cannot be attended to.",
                           fitted.dropped, arguments.tokens));
  }
  const NoGrad no_gradients;
  const Rows all = Rows::single(arguments.tokens);
  const Rows padded = Rows::single(arguments.size);
  const Tensor exact = attention(x, x, x, all, all).value();
  const Tensor lengths = Tensor::from(std::vector<int64_t>{fitted.valid}, {1});
  const Tensor masked =
      attention(x, fitted.rows, fitted.rows, all, padded, {.mask = Mask::key_lengths(lengths)})
          .value();
  const Tensor unmasked = attention(x, fitted.rows, fitted.rows, all, padded).value();
  lesson.number("masked_difference", "difference to the exact output, blanks masked",
                difference(masked, exact), 4);
  lesson.number("unmasked_difference", "the same, blanks not masked", difference(unmasked, exact),
                4);
  Figure bars({.title = "How wrong the outputs are", .x_label = "largest difference"});
  bars.bars({"blanks masked", "blanks not masked"},
            numbers({difference(masked, exact), difference(unmasked, exact)}));
  lesson.figure("", bars);
  lesson.say(
      "heed itself never fills: a batch holds all rows one after the other, and an attention layer "
      "takes any length with the same parameters.");
  lesson.erratum(
      24,
      "the notes say that convolutional networks cannot deal with inputs of varying size. "
      "A convolution can; a dense layer on top of it cannot.");
}

}  // namespace

Demo fixed_size_demo() {
  return {"fixed-size",
          "Masks and batches",
          "Cutting and filling to a fixed size",
          "R37, R39",
          "--tokens 12 --keep last",
          with_options<FixedSizeArguments>(add_fixed_size_options, show_fixed_size_demo)};
}

}  // namespace heed::cli
