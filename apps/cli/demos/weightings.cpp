// The four special weightings of a database.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/demo.h"
#include "heed/attention/attention.h"
#include "heed/attention/weights.h"

namespace heed::cli {
namespace {

struct WeightingsArguments {
  std::string q = "0.4";
  std::string k = "0;0.5;2";
  std::string v = "1,0;0,1;1,1";
};

void add_weightings_options(Command& command, WeightingsArguments& arguments) {
  command.add_option("--q", arguments.q, "The query (default 0.4)").type_name("NUMBERS");
  command.add_option("--k", arguments.k, "The keys, one per row (default 0;0.5;2)")
      .type_name("ROWS");
  command.add_option("--v", arguments.v, "The values, one per row (default 1,0;0,1;1,1)")
      .type_name("ROWS");
}

struct Weighting {
  const char* name;
  const char* property;
  Score score;
  Normalizer normalizer;
};

void show_weightings_demo(const WeightingsArguments& arguments, Lesson& lesson) {
  const Tensor q = matrix_option("--q", arguments.q);
  const Tensor k = matrix_option("--k", arguments.k);
  const Tensor v = matrix_option("--v", arguments.v);
  check_pairs(q, k, v);
  const Rows one = Rows::single(q.dim(0));
  const Rows all = Rows::single(k.dim(0));
  lesson.formula(
      "cone      w_i >= 0                   the output is in the cone of the values\n"
      "convex    w_i >= 0, sum_i w_i = 1    in their convex hull\n"
      "one-hot   one w_i = 1, others 0      a value itself: an exact lookup\n"
      "uniform   w_i = 1/m                  the mean: average pooling");
  lesson.say(
      fmt::format("Query {}; keys {}; values {}.", rows_text(q), rows_text(k), rows_text(v)));
  const std::vector<Weighting> weightings{
      {"cone", "kernel values as they are", Gaussian{}, Normalizer::none},
      {"convex", "softmax", Gaussian{}, Normalizer::softmax},
      {"one-hot", "the best key alone", Gaussian{}, Normalizer::one_hot},
      {"uniform", "all the same", Constant{}, Normalizer::sum}};
  const NoGrad no_gradients;
  std::vector<std::string> names;
  Tensor weights = Tensor::empty({4, k.dim(0)}, DType::f64);
  Tensor outputs = Tensor::empty({4, v.dim(1)}, DType::f64);
  for (size_t i = 0; i < weightings.size(); ++i) {
    const AttentionOptions attend{.score = weightings[i].score,
                                  .normalizer = weightings[i].normalizer};
    const auto row = static_cast<int64_t>(i);
    weights.slice(0, row, row + 1)
        .copy_from(attention_weights(q, k, one, all, attend).slice(0, 0, 1));
    outputs.slice(0, row, row + 1)
        .copy_from(attention(q, k, v, one, all, attend).value().slice(0, 0, 1));
    names.emplace_back(weightings[i].name);
  }
  lesson.table("weights", "Weights, with Gaussian scores", weights,
               {names, numbered("key", k.dim(0))});
  lesson.table("outputs", "Outputs", outputs, {names, {}});
  Figure figure({.title = "Weights", .x_label = "weight"});
  for (size_t i = 0; i < names.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    figure.bars(numbered("key", k.dim(0)), weights.slice(0, row, row + 1).reshape({k.dim(0)}),
                {.label = names[i]});
  }
  lesson.figure("", figure);
}

}  // namespace

Demo weightings_demo() {
  return {"weightings",
          "Pooling over keys and values",
          "Cone, convex, one-hot and uniform weights",
          "R2",
          "--q 1.9",
          with_options<WeightingsArguments>(add_weightings_options, show_weightings_demo)};
}

}  // namespace heed::cli
