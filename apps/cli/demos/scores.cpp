// All scores of one query against the same keys.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/diagrams.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/ops/matmul.h"
#include "heed/textbook/score_forms.h"

namespace heed::cli {
namespace {

struct ScoresArguments {
  std::string q = "1,0.5";
  std::string k = "1,1;-1,0;2,-1;0,0.5";
  std::string v = "10;20;30;40";
  uint64_t seed = 1;
};

void add_scores_options(Command& command, ScoresArguments& arguments) {
  command.add_option("--q", arguments.q, "The query (default 1,0.5)").type_name("NUMBERS");
  command.add_option("--k", arguments.k, "The keys, one per row").type_name("ROWS");
  command.add_option("--v", arguments.v, "The values, one per row").type_name("ROWS");
  add_seed(command, arguments.seed);
}

// Other keys than the default ones get the values 10, 20, 30 and so on.
Tensor value_rows(const std::string& text, int64_t keys) {
  Tensor v = matrix_option("--v", text);
  if (v.dim(0) != keys && text == ScoresArguments().v) {
    v = Tensor::empty({keys, 1}, DType::f64);
    for (int64_t i = 0; i < keys; ++i) v.data<double>()[i] = static_cast<double>(10 * (i + 1));
  }
  if (v.dim(0) != keys) {
    fail("--v has {} rows, --k {}; one value per key is needed", v.dim(0), keys);
  }
  return v;
}

void show_scores_demo(const ScoresArguments& arguments, Lesson& lesson) {
  const Tensor q = numbers(number_list("--q", arguments.q));
  const Tensor k = matrix_option("--k", arguments.k);
  const int64_t D = q.dim(0);
  if (k.dim(1) != D) {
    fail("--q has {} numbers, the rows of --k have {}; here they need the same", D, k.dim(1));
  }
  const Tensor v = value_rows(arguments.v, k.dim(0));
  lesson.formula(
      "dot         q.k                           Luong's dot\n"
      "scaled dot  q.k / sqrt(d)                 the scale is optional\n"
      "Gaussian    -|q - k|^2 / 2\n"
      "bilinear    q' M k                        Luong's general\n"
      "additive    w_v' tanh(W_q q + W_k k)      Bahdanau; Luong's concat\n"
      "weights     w_i = exp(a_i) / sum_j exp(a_j), output sum_i w_i v_i");
  lesson.say(fmt::format("Query {}; keys {}; values {}.", rows_text(q.reshape({1, D})),
                         rows_text(k), rows_text(v)));
  const std::vector<std::pair<std::string, Score>> scores{
      {"dot", Dot{}},
      {"scaled dot", ScaledDot{}},
      {"Gaussian", Gaussian{}},
      {"bilinear", Bilinear{normal_numbers({D, D}, arguments.seed, 0)}},
      {"additive", Additive{normal_numbers({4, D}, arguments.seed, 1),
                            normal_numbers({4, D}, arguments.seed, 2),
                            normal_numbers({4}, arguments.seed, 3)}}};
  const auto n = static_cast<int64_t>(scores.size());
  Tensor values = Tensor::empty({n, k.dim(0)}, DType::f64);
  Tensor weights = Tensor::empty({n, k.dim(0)}, DType::f64);
  std::vector<std::string> names;
  for (const auto& [name, score] : scores) {
    const auto row = static_cast<int64_t>(names.size());
    const ScoredKeys scored = score_keys(q, k, score);
    for (int64_t j = 0; j < k.dim(0); ++j) {
      values.data<double>()[row * k.dim(0) + j] = scored.scores[j];
      weights.data<double>()[row * k.dim(0) + j] = scored.weights[j];
    }
    names.push_back(name);
  }
  const std::vector<std::string> keys = numbered("key", k.dim(0));
  lesson.table("scores", "Scores", values, {names, keys});
  lesson.table("weights", "Softmax weights", weights, {names, keys});
  const Tensor output = matmul(weights, v).value();
  lesson.table("output", "Weighted averages of the values", output, {names, {}});
  Figure map({.title = "Weights by score", .x_label = "key", .y_label = "score"});
  map.heat_map(weights,
               {.row_labels = names, .column_labels = keys, .low = 0, .high = 1, .values = true});
  lesson.figure("", map);
  lesson.picture("diagram",
                 pooling_diagram({.title = "Scores, softmax, weighted average (scaled dot)",
                                  .query = q,
                                  .keys = k,
                                  .scores = numbers_of(values.slice(0, 1, 2)),
                                  .weights = numbers_of(weights.slice(0, 1, 2)),
                                  .values = v,
                                  .output = output.slice(0, 1, 2)})
                     .svg());
  lesson.say("M, W_q, W_k and w_v are drawn here; in a model they are learned.");
  lesson.erratum(29, "the sum in the softmax of the notes has no upper limit; it is m.");
}

}  // namespace

Demo scores_demo() {
  return {"scores",
          "Scores",
          "Five scores of one query and its keys",
          "R21-R25, R28, R29",
          "--q 2,1",
          with_options<ScoresArguments>(add_scores_options, show_scores_demo)};
}

}  // namespace heed::cli
