// Self-attention step by step: the NumPy example of the notes.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/diagrams.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/self_attention_steps.h"

namespace heed::cli {
namespace {

struct SelfAttentionArguments {
  std::string x, w_q, w_k, w_v;
  int64_t query = 1;
  uint64_t seed = 5;  // whose queries and keys all differ
};

void add_self_attention_options(Command& command, SelfAttentionArguments& arguments) {
  command.add_option("--x", arguments.x, "Words, one per row (default 1,0,0;0,1,0;1,1,0;0,0,1)")
      .type_name("ROWS");
  command.add_option("--w-q", arguments.w_q, "W_Q (default: drawn, d x 2)").type_name("ROWS");
  command.add_option("--w-k", arguments.w_k, "W_K (default: drawn, d x 2)").type_name("ROWS");
  command.add_option("--w-v", arguments.w_v, "W_V (default: drawn, d x 2)").type_name("ROWS");
  command.add_option("--query", arguments.query, "The query that is followed (default 1)")
      .type_name("I")
      .check(whole_number(1, 1000));
  add_seed(command, arguments.seed);
}

// What is drawn has the widths of what is given.
SelfAttentionExample example_of(const SelfAttentionArguments& arguments) {
  const auto given = [](const char* option, const std::string& text) {
    return text.empty() ? Tensor() : matrix_option(option, text);
  };
  const Tensor x = given("--x", arguments.x), w_q = given("--w-q", arguments.w_q),
               w_k = given("--w-k", arguments.w_k), w_v = given("--w-v", arguments.w_v);
  int64_t key_width = 2;
  if (w_k.defined()) key_width = w_k.dim(1);
  if (w_q.defined()) key_width = w_q.dim(1);
  SelfAttentionExample example =
      self_attention_example(arguments.seed, x.defined() ? x.dim(1) : 3, key_width);
  if (x.defined()) example.x = x;
  if (w_q.defined()) example.w_q = w_q;
  if (w_k.defined()) example.w_k = w_k;
  if (w_v.defined()) example.w_v = w_v;
  return example;
}

void show_self_attention_demo(const SelfAttentionArguments& arguments, Lesson& lesson) {
  const SelfAttentionExample example = example_of(arguments);
  const int64_t L = example.x.dim(0);
  if (arguments.query > L) wrong_usage(fmt::format("--query: there are {} words", L));
  lesson.formula(
      "Q = X W_Q    K = X W_K    V = X W_V\n"
      "s_ij = q_i . k_j / sqrt(d_k)     w_i = softmax(s_i)     y_i = sum_j w_ij v_j\n"
      "in one equation: Y = softmax(X W_Q W_K' X' / sqrt(d_k)) X W_V");
  const SelfAttentionSteps steps =
      self_attention_steps(example.x, example.w_q, example.w_k, example.w_v);
  const std::vector<std::string> words = numbered("word", L);
  const int64_t i = arguments.query - 1;
  lesson.table("x", "X, the words", example.x, {words, {}});
  lesson.say(fmt::format("The rows of W_Q are {}, of W_K {}, of W_V {}.", rows_text(example.w_q),
                         rows_text(example.w_k), rows_text(example.w_v)));
  lesson.table("q", "Q = X W_Q", steps.q, {words, {}});
  lesson.table("k", "K = X W_K", steps.k, {words, {}});
  lesson.table("v", "V = X W_V", steps.v, {words, {}});
  lesson.say(fmt::format("Step by step for query {}:", arguments.query));
  lesson.table("scores_row", "1. its dot products with all keys", steps.scores.slice(0, i, i + 1),
               {{"s"}, words});
  lesson.table("scaled_row", "   divided by sqrt(d_k)", steps.scaled.slice(0, i, i + 1),
               {{"s"}, words});
  lesson.table("weights_row", "2. softmax", steps.weights.slice(0, i, i + 1), {{"w"}, words});
  lesson.table("output_row", "3. the weighted sum of the values", steps.output.slice(0, i, i + 1),
               {{"y"}, {}});
  lesson.table("weights", "All queries at once: weights", steps.weights, {words, words});
  lesson.table("output", "and outputs", steps.output, {words, {}});
  lesson.number("difference", "largest difference to the one-equation form", steps.difference, 3);
  lesson.number("dot_products", "dot products: L_q L_k", static_cast<double>(steps.dot_products));
  lesson.number("attention_parameters", "parameters of attention itself", 0);
  lesson.number("parameters", "parameters of the three projections",
                static_cast<double>(steps.parameters));
  Figure map({.title = "Weights", .x_label = "key", .y_label = "query"});
  map.heat_map(steps.weights,
               {.row_labels = words, .column_labels = words, .low = 0, .high = 1, .values = true});
  lesson.figure("", map);
  lesson.picture("steps",
                 pooling_diagram({.title = fmt::format("Query {}, step by step", arguments.query),
                                  .query = steps.q.slice(0, i, i + 1),
                                  .keys = steps.k,
                                  .scores = numbers_of(steps.scaled.slice(0, i, i + 1)),
                                  .weights = numbers_of(steps.weights.slice(0, i, i + 1)),
                                  .values = steps.v,
                                  .output = steps.output.slice(0, i, i + 1)})
                     .svg());
  lesson.erratum(7, "the notes write s_ij = q_j . k_i in two places; row i belongs to query i.");
  lesson.erratum(16, "Self-Attention(X) = Attention(X W_Q, X W_K, X W_V), in this order.");
  lesson.erratum(17, "the softmax of the example does not subtract the maximum and overflows.");
}

}  // namespace

Demo self_attention_demo() {
  return {
      "self-attention",
      "The attention layer",
      "The NumPy example, step by step",
      "R40-R45",
      "--query 3",
      with_options<SelfAttentionArguments>(add_self_attention_options, show_self_attention_demo)};
}

}  // namespace heed::cli
