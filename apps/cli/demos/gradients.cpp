// Gradients of attention, by backward and by finite differences.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "heed/textbook/attention_gradients.h"

namespace heed::cli {
namespace {

struct GradientsArguments {
  std::string q = "1,0.5";
  std::string k = "1,1;-1,0;2,-1;0,0.5";
  std::string v = "10;20;30;40";
  uint64_t seed = 1;
};

void add_gradients_options(Command& command, GradientsArguments& arguments) {
  command.add_option("--q", arguments.q, "The query (default 1,0.5)").type_name("NUMBERS");
  command.add_option("--k", arguments.k, "The keys, one per row").type_name("ROWS");
  command.add_option("--v", arguments.v, "The values, one per row").type_name("ROWS");
  add_seed(command, arguments.seed);
}

void show_gradients_demo(const GradientsArguments& arguments, Lesson& lesson) {
  const Tensor q = matrix_option("--q", arguments.q);
  const Tensor k = matrix_option("--k", arguments.k);
  const Tensor v = matrix_option("--v", arguments.v);
  check_pairs(q, k, v);
  lesson.formula(
      "L = sum of the outputs     dL/dx by backward()\n"
      "against (L(x + e) - L(x - e)) / 2e, one number after the other");
  lesson.say(
      fmt::format("Query {}; keys {}; values {}.", rows_text(q), rows_text(k), rows_text(v)));
  const int64_t D = q.dim(1);
  const std::vector<std::pair<std::string, Score>> scores{
      {"dot", Dot{}},
      {"scaled dot", ScaledDot{}},
      {"Gaussian", Gaussian{}},
      {"bilinear", Bilinear{normal_numbers({D, D}, arguments.seed, 0)}},
      {"additive", Additive{normal_numbers({4, D}, arguments.seed, 1),
                            normal_numbers({4, D}, arguments.seed, 2),
                            normal_numbers({4}, arguments.seed, 3)}}};
  std::vector<std::string> names;
  std::vector<double> differences;
  CheckedGradients scaled;
  for (const auto& [name, score] : scores) {
    const CheckedGradients found = attention_gradients(q, k, v, {.score = score});
    names.push_back(name);
    differences.insert(differences.end(),
                       {found.difference_q, found.difference_k, found.difference_v});
    if (name == "scaled dot") scaled = found;
  }
  const std::vector<std::string> keys = numbered("key", k.dim(0));
  lesson.table("dq", "Gradient of the query (scaled dot)", scaled.dq,
               {numbered("query", q.dim(0)), {}});
  lesson.table("dk", "Gradients of the keys", scaled.dk, {keys, {}});
  lesson.table("dv", "Gradients of the values", scaled.dv, {numbered("value", v.dim(0)), {}});
  lesson.table("differences", "Largest difference to finite differences",
               Tensor::from(differences, {static_cast<int64_t>(names.size()), 3}),
               {names, {"query", "keys", "values"}});
  Figure bars({.title = "How much the output changes with each value", .x_label = "gradient"});
  bars.bars(numbered("value", v.dim(0)), scaled.dv.slice(1, 0, 1).contiguous().reshape({v.dim(0)}));
  lesson.figure("", bars);
  lesson.say(
      "A value counts as much as its key weighs: of one query, its gradient is the weight. Queries "
      "and keys change the output through the weights, so their gradients fade where softmax "
      "saturates. What remains of the differences is rounding.");
}

}  // namespace

Demo gradients_demo() {
  return {"gradients",
          "Pooling over keys and values",
          "How the output changes with query, keys and values",
          "R5",
          "--q 10,5",
          with_options<GradientsArguments>(add_gradients_options, show_gradients_demo)};
}

}  // namespace heed::cli
