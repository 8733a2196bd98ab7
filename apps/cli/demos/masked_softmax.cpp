// Softmax over sentences of different length.

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/masked_softmax.h"

namespace heed::cli {
namespace {

struct MaskedSoftmaxArguments {
  std::string lengths;
  int64_t keys = 10;
  std::string scores;
  uint64_t seed = 1;
};

void add_masked_softmax_options(Command& command, MaskedSoftmaxArguments& arguments) {
  command.add_option("--lengths", arguments.lengths, "Valid keys of each row (default 2,6,10..)")
      .type_name("NUMBERS");
  command.add_option("--keys", arguments.keys, "Keys in all (default 10)")
      .type_name("N")
      .check(whole_number(1, 1000));
  command.add_option("--scores", arguments.scores, "One row per length (default: drawn)")
      .type_name("ROWS");
  add_seed(command, arguments.seed);
}

// The three sentences of the notes, with equal scores: every word gets 1 / length.
void show_sentences(Lesson& lesson) {
  const std::vector<std::vector<std::string>> sentences{
      {"Dive", "into", "Deep", "Learning"}, {"Learn", "to", "code"}, {"Hello", "world"}};
  std::vector<int64_t> lengths;
  std::vector<std::string> rows;
  for (const auto& sentence : sentences) {
    lengths.push_back(static_cast<int64_t>(sentence.size()));
    std::string row;
    for (const std::string& word : sentence) row += (row.empty() ? "" : " ") + word;
    rows.push_back(row);
  }
  const Tensor weights = masked_softmax(Tensor::zeros({3, 4}, DType::f64), lengths);
  lesson.table("sentences", "Three sentences in one batch, equal scores", weights,
               {rows, numbered("word", 4)});
}

// Those that are given, or 2, 6, 10 and so on, one per row of the scores and no longer than they
// are.
std::vector<int64_t> lengths_of(const MaskedSoftmaxArguments& arguments, const Tensor& scores) {
  const int64_t keys = scores.defined() ? scores.dim(1) : arguments.keys;
  const int64_t rows = scores.defined() ? scores.dim(0) : 2;
  std::vector<int64_t> lengths;
  if (arguments.lengths.empty()) {
    for (int64_t i = 0; i < rows; ++i) lengths.push_back(std::min(keys, 2 + 4 * i));
    return lengths;
  }
  lengths = whole_list("--lengths", arguments.lengths);
  const auto count = static_cast<int64_t>(lengths.size());
  if (scores.defined() && count != rows) {
    wrong_usage(fmt::format("--lengths has {} numbers, --scores {} rows; one per row is needed",
                            count, rows));
  }
  for (const int64_t length : lengths) {
    if (length < 0 || length > keys) {
      wrong_usage(
          fmt::format("--lengths: {} of {} keys; from 0 to {} is possible", length, keys, keys));
    }
  }
  return lengths;
}

void show_masked_softmax_demo(const MaskedSoftmaxArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "w_j = exp(s_j) / sum over j' < length of exp(s_j')      j < length\n"
      "w_j = 0, exactly                                        otherwise");
  show_sentences(lesson);
  Tensor scores = arguments.scores.empty() ? Tensor() : matrix_option("--scores", arguments.scores);
  const std::vector<int64_t> lengths = lengths_of(arguments, scores);
  if (!scores.defined()) {
    const auto n = static_cast<int64_t>(lengths.size());
    scores = normal_numbers({n, arguments.keys}, arguments.seed);
  }
  const Tensor weights = masked_softmax(scores, lengths);
  std::vector<std::string> rows;
  rows.reserve(lengths.size());
  for (const int64_t length : lengths) rows.push_back(fmt::format("length {}", length));
  lesson.table("weights", "Weights", weights, {rows, numbered("key", scores.dim(1))});
  Figure map({.title = "Masked softmax", .x_label = "key", .y_label = "query"});
  map.heat_map(
      weights,
      {.row_labels = rows, .column_labels = numbered("", scores.dim(1)), .low = 0, .values = true});
  lesson.figure("", map);

  const Tensor low = Tensor::from(std::vector<double>{-2e6, -2e6, 0}, {1, 3});
  const std::vector<int64_t> two{2};
  lesson.table("constant", "Scores -2000000, -2000000 and a masked third key, masked by -10^6",
               softmax_masked_by_constant(low, two), {{"weights"}, numbered("key", 3)});
  lesson.table("excluded", "The same, excluded", masked_softmax(low, two),
               {{"weights"}, numbered("key", 3)});
  lesson.erratum(5,
                 "the notes set the attention weights of masked keys to -10^6. The scores before "
                 "softmax are meant, and a finite constant is unsafe: with lower scores the masked "
                 "key gets all the weight, as above. heed leaves masked keys out; a query without "
                 "any key has weights 0 and output 0.");
}

}  // namespace

Demo masked_softmax_demo() {
  return {
      "masked-softmax",
      "Masks and batches",
      "Softmax over sentences of different length",
      "R31-R34",
      "--lengths 3,0,8",
      with_options<MaskedSoftmaxArguments>(add_masked_softmax_options, show_masked_softmax_demo)};
}

}  // namespace heed::cli
