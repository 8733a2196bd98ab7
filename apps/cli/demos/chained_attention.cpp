// Attention layers one after the other.

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/attention_chain.h"

namespace heed::cli {
namespace {

using ChainedAttentionArguments = AttentionChainOptions;

void add_chained_attention_options(Command& command, ChainedAttentionArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t max) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, max));
  };
  size("--layers", arguments.layers, "Layers (default 6)", 200);
  size("--length", arguments.length, "Rows (default 8)", 1000);
  size("--width", arguments.width, "Width (default 16)", 1000);
  add_seed(command, arguments.seed);
}

void show_chained_attention_demo(const ChainedAttentionArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "X_{l+1} = attention(X_l, X_l, X_l), with residuals X_l + attention(..)\n"
      "spread(X) = sqrt(sum_i |x_i - mean|^2 / sum_i |x_i|^2)");
  AttentionChainOptions residual = arguments;
  residual.residual = true;
  const AttentionChain plain = attention_chain(arguments);
  const AttentionChain kept = attention_chain(residual);
  std::vector<double> layer, both = plain.spread;
  both.insert(both.end(), kept.spread.begin(), kept.spread.end());
  std::vector<std::string> columns;
  for (int64_t l = 0; l <= arguments.layers; ++l) {
    layer.push_back(static_cast<double>(l));
    columns.push_back(std::to_string(l));
  }
  lesson.table("spread", "Spread of the rows after each layer",
               Tensor::from(both, {2, arguments.layers + 1}),
               {{"chained alone", "with residuals"}, columns});
  Figure figure({.title = "Chained attention makes rows alike",
                 .x_label = "layer",
                 .y_label = "spread of the rows"});
  figure.line(numbers(layer), numbers(plain.spread), {.label = "chained alone"});
  figure.line(numbers(layer), numbers(kept.spread),
              {.label = "with residuals", .style = LineStyle::dashed});
  lesson.figure("", figure);
  lesson.say(
      "The output of attention has as many rows as the queries and the width of the values, so "
      "layers can be chained. Each mixes the rows; without anything between they become one.");
}

}  // namespace

Demo chained_attention_demo() {
  return {"chained-attention",
          "The attention layer",
          "Layers one after the other",
          "R52",
          "--layers 20",
          with_options<ChainedAttentionArguments>(add_chained_attention_options,
                                                  show_chained_attention_demo)};
}

}  // namespace heed::cli
