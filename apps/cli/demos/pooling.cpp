// Attention as pooling: a query, keys, values, weights, an output.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/diagrams.h"
#include "apps/cli/inputs/score_options.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/base/fail.h"

namespace heed::cli {
namespace {

struct PoolingArguments {
  std::string q = "1,0.5";
  std::string k = "1,1;-1,0;2,-1;0,0.5";
  std::string v = "10;20;30;40";
  std::string score = "scaled-dot";
  std::string normalizer;
};

void add_pooling_options(Command& command, PoolingArguments& arguments) {
  command.add_option("--q", arguments.q, "The query (default 1,0.5)").type_name("NUMBERS");
  command.add_option("--k", arguments.k, "The keys, one per row").type_name("ROWS");
  command.add_option("--v", arguments.v, "The values, one per row").type_name("ROWS");
  command
      .add_option("--score", arguments.score,
                  "scaled-dot (default), dot, gaussian, boxcar, triangular, epanechnikov, constant")
      .check(one_of(
          {"scaled-dot", "dot", "gaussian", "boxcar", "triangular", "epanechnikov", "constant"}))
      .type_name("NAME");
  command
      .add_option("--normalizer", arguments.normalizer,
                  "softmax, sum, none or one-hot (default: softmax; sum for the kernels)")
      .check(one_of({"softmax", "sum", "none", "one-hot"}))
      .type_name("NAME");
}

Normalizer normalizer_of(const PoolingArguments& arguments) {
  if (arguments.normalizer.empty()) {
    return is_kernel(arguments.score) ? Normalizer::sum : Normalizer::softmax;
  }
  if (arguments.normalizer == "sum") return Normalizer::sum;
  if (arguments.normalizer == "none") return Normalizer::none;
  return arguments.normalizer == "one-hot" ? Normalizer::one_hot : Normalizer::softmax;
}

// Weights are divided by their sum only if none is negative.
void require_sums(const AttentionOptions& attend, const Tensor& q, const Tensor& k,
                  const std::string& score) {
  if (attend.normalizer != Normalizer::sum) return;
  AttentionOptions plain = attend;
  plain.normalizer = Normalizer::none;
  for (const double s :
       numbers_of(attention_weights(q, k, Rows::single(q.dim(0)), Rows::single(k.dim(0)), plain))) {
    check(!(s < 0), "--normalizer sum: {} gives a key the score {:.4g}; it needs 0 or more", score,
          s);
  }
}

void show_pooling_demo(const PoolingArguments& arguments, Lesson& lesson) {
  const Tensor q = matrix_option("--q", arguments.q);
  const Tensor k = matrix_option("--k", arguments.k);
  const Tensor v = matrix_option("--v", arguments.v);
  check_pairs(q, k, v);
  const Rows asked = Rows::single(q.dim(0));
  const Rows seen = Rows::single(k.dim(0));
  ScoreArguments score;
  score.score = arguments.score;
  const AttentionOptions attend{.score = make_score(score, DType::f64),
                                .normalizer = normalizer_of(arguments)};
  lesson.formula(
      "Attention(q, D) = sum_i alpha(q, k_i) v_i\n"
      "D = {(k_1, v_1), .., (k_m, v_m)}");
  lesson.say(fmt::format("Query {}; keys {}; values {}; score {}.", rows_text(q), rows_text(k),
                         rows_text(v), arguments.score));
  const NoGrad no_gradients;
  require_sums(attend, q, k, arguments.score);
  const Tensor output = attention(q, k, v, asked, seen, attend).value();
  const Tensor weights = attention_weights(q, k, asked, seen, attend);
  lesson.table("weights", "Weights of the keys", weights,
               {numbered("query", q.dim(0)), numbered("key", k.dim(0))});
  lesson.table("output", "Output: the weighted sum of the values", output,
               {numbered("query", q.dim(0)), {}});
  Figure bars({.title = "How much of each value is in the output", .x_label = "weight"});
  bars.bars(numbered("key", k.dim(0)), weights.slice(0, 0, 1).reshape({k.dim(0)}));
  lesson.figure("", bars);
  lesson.picture("diagram", pooling_diagram({.title = "Attention as pooling",
                                             .query = q.slice(0, 0, 1),
                                             .keys = k,
                                             .weights = numbers_of(weights.slice(0, 0, 1)),
                                             .values = v,
                                             .output = output.slice(0, 0, 1)})
                                .svg());
  lesson.say(
      "Everything else in the textbook is a choice of the score, of the normalizer and of where "
      "queries, keys and values come from. In regression the query is where to predict, the keys "
      "are where data was seen, and the values are what was seen there.");
  lesson.erratum(
      30,
      "the notes write alpha on both sides of the normalization; read alpha~ = alpha / sum alpha.");
}

}  // namespace

Demo pooling_demo() {
  return {"pooling",
          "Pooling over keys and values",
          "A query, keys, values, weights, an output",
          "R1, R3, R4, R6",
          "--q 0,1 --score gaussian",
          with_options<PoolingArguments>(add_pooling_options, show_pooling_demo)};
}

}  // namespace heed::cli
