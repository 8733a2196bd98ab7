// Multi-head attention with heads of their own widths.

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/random.h"
#include "heed/figure/diagram.h"
#include "heed/nn/attention_recorder.h"
#include "heed/nn/multi_head_attention.h"
#include "heed/textbook/head_statistics.h"

namespace heed::cli {
namespace {

struct MultiHeadArguments {
  MultiHeadSizes sizes;
  int64_t length = 6;
  std::string score = "scaled-dot";
  bool no_bias = false;
  uint64_t seed = 1;
};

void add_multi_head_options(Command& command, MultiHeadArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, 4096));
  };
  size("--width", arguments.sizes.width, "d, width of the rows (default 4)");
  size("--heads", arguments.sizes.heads, "Heads (default 2)");
  size("--key-width", arguments.sizes.key_width, "p_q = p_k of a head (default 2)");
  size("--value-width", arguments.sizes.value_width, "p_v of a head (default 3)");
  command.add_option("--output-width", arguments.sizes.output_width, "p_o (default: d)")
      .type_name("N")
      .check(whole_number(0, 4096));
  size("--length", arguments.length, "Rows (default 6)");
  command.add_option("--score", arguments.score, "scaled-dot (default), dot, additive, bilinear")
      .check(one_of({"scaled-dot", "dot", "additive", "bilinear"}))
      .type_name("NAME");
  command.add_flag("--no-bias", arguments.no_bias, "Projections without biases");
  add_seed(command, arguments.seed);
}

ScoreKind score_kind(const std::string& name) {
  if (name == "dot") return ScoreKind::dot;
  if (name == "additive") return ScoreKind::additive;
  return name == "bilinear" ? ScoreKind::bilinear : ScoreKind::scaled_dot;
}

// The layer as boxes, with the shapes of its numbers; at most four heads.
Diagram heads_diagram(const MultiHeadSizes& sizes, int64_t length, const Shape& output) {
  constexpr int64_t kMaxHeads = 4;
  const int64_t shown = std::min(sizes.heads, kMaxHeads);
  const double center = static_cast<double>(shown - 1) / 2;
  Diagram diagram(
      {.title = fmt::format("Multi-head attention: {} heads", sizes.heads), .column_gap = 40});
  const auto matrix = [](int64_t rows, int64_t columns) {
    return fmt::format("{} x {}", rows, columns);
  };
  const int input =
      diagram.box({0, center, "queries, keys, values\n" + matrix(length, sizes.width), 6});
  const int joined =
      diagram.box({3, center, "joined\n" + matrix(length, sizes.heads * sizes.value_width), 3});
  const int projected =
      diagram.box({4, center, "W_o\n" + matrix(sizes.heads * sizes.value_width, output[1]), 0});
  const int result = diagram.box({5, center, "output\n" + matrix(output[0], output[1]), 1});
  for (int64_t h = 0; h < shown; ++h) {
    const auto row = static_cast<double>(h);
    const int maps = diagram.box(
        {1, row,
         fmt::format("W_{0}^q, W_{0}^k, W_{0}^v\n{1}, {1}, {2}", h,
                     matrix(sizes.width, sizes.key_width), matrix(sizes.width, sizes.value_width)),
         0});
    const int head =
        diagram.box({2, row, fmt::format("head {}\n{}", h, matrix(length, sizes.value_width)), 2});
    diagram.arrow({input, maps, 0.3}).arrow({maps, head, 0.3}).arrow({head, joined, 0.3});
  }
  diagram.arrow({joined, projected, 0.3}).arrow({projected, result, 0.3});
  return diagram;
}

void show_multi_head_demo(const MultiHeadArguments& arguments, Lesson& lesson) {
  MultiHeadSizes sizes = arguments.sizes;
  sizes.bias = !arguments.no_bias;
  sizes.score = score_kind(arguments.score);
  lesson.formula(
      "h_i = f(W_i^q q, W_i^k k, W_i^v v)        f: any attention pooling\n"
      "y   = W_o [h_0; ..; h_{H-1}]              W_o: p_o x (H p_v)\n"
      "parameters: H (2 d p_k + d p_v) + H p_v p_o; biases 2 H p_k + H p_v + p_o;\n"
      "            additive 2 p_k^2 + p_k more, bilinear p_k^2");
  lesson.number("formula", "parameters by the formula",
                static_cast<double>(multi_head_parameters(sizes)));
  lesson.number("counted", "parameters of the layer",
                static_cast<double>(count_multi_head_parameters(sizes)));
  Parameters parameters({.seed = arguments.seed});
  const MultiHeadAttention layer(ParameterScope(parameters).in("attention"), sizes.width,
                                 {.heads = sizes.heads,
                                  .key_width = sizes.key_width,
                                  .value_width = sizes.value_width,
                                  .output_width = sizes.output_width,
                                  .score = sizes.score,
                                  .bias = sizes.bias});
  const int64_t L = arguments.length;
  Tensor x = Tensor::empty({L, sizes.width});
  const RandomKey key = random_key({.seed = arguments.seed});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.data<float>()[i] = static_cast<float>(2 * random_normal(key, static_cast<uint32_t>(i)));
  }
  const NoGrad no_gradients;
  AttentionRecorder recorder;
  const Tensor y = layer.self(x, Rows::single(L), {}, {.observer = &recorder}).value();
  lesson.table("output", fmt::format("Output {}", y.shape().text()), y, {numbered("row", L), {}});
  const std::string name = recorder.names().front();
  std::vector<Figure> panels;
  std::vector<std::string> names;
  std::vector<double> statistics;
  for (int64_t h = 0; h < sizes.heads; ++h) {
    const Tensor weights = recorder.weights(name, {.head = h});
    const HeadStatistics head = head_statistics(weights);
    statistics.push_back(head.mean_distance);
    statistics.push_back(head.entropy);
    names.push_back(fmt::format("head {}", h));
    if (h >= 8) continue;
    Figure map({.title = names.back(), .x_label = "key", .y_label = "query"});
    map.heat_map(weights, {.row_labels = numbered("", L),
                           .column_labels = numbered("", L),
                           .low = 0,
                           .high = 1,
                           .values = true});
    panels.push_back(map);
  }
  lesson.table("heads", "Where the heads look", Tensor::from(statistics, {sizes.heads, 2}),
               {names, {"mean distance", "entropy"}});
  lesson.figures("", "Weights of the heads", panels, sizes.heads < 4 ? 2 : 4);
  lesson.picture("diagram", heads_diagram(sizes, L, y.shape()).svg());
  lesson.erratum(26,
                 "the notes say that multi-head attention simply concatenates; a projection W_o "
                 "follows, in Keras' layer as well.");
}

}  // namespace

Demo multi_head_demo() {
  return {"multi-head",
          "Multi-head attention",
          "Heads of their own widths, joined and projected",
          "R53-R57",
          "--width 64 --heads 8 --key-width 8 --value-width 8",
          with_options<MultiHeadArguments>(add_multi_head_options, show_multi_head_demo)};
}

}  // namespace heed::cli
