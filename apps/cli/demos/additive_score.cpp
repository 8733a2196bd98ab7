// Additive attention is a small MLP on the concatenation; and what it costs.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/attention.h"
#include "heed/textbook/score_costs.h"
#include "heed/textbook/score_forms.h"

namespace heed::cli {
namespace {

struct AdditiveScoreArguments {
  int64_t query_width = 3;
  int64_t key_width = 5;
  int64_t hidden = 4;
  int64_t keys = 6;
  int64_t length = 512;
  uint64_t seed = 1;
};

void add_additive_score_options(Command& command, AdditiveScoreArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const std::string& help) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, 4096));
  };
  size("--query-width", arguments.query_width, "Width of the query (default 3)");
  size("--key-width", arguments.key_width, "Width of the keys (default 5)");
  size("--hidden", arguments.hidden, "h, the width between (default 4)");
  size("--keys", arguments.keys, "Number of keys (default 6)");
  size("--length", arguments.length, "Rows of the timed comparison (default 512)");
  add_seed(command, arguments.seed);
}

double milliseconds(const Tensor& x, const Score& score) {
  using Clock = std::chrono::steady_clock;
  const NoGrad no_gradients;
  const Rows rows = Rows::single(x.dim(0));
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point begin = Clock::now();
    attention(x, x, x, rows, rows, {.score = score});
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return best;
}

void show_additive_score_demo(const AdditiveScoreArguments& arguments, Lesson& lesson) {
  const uint64_t seed = arguments.seed;
  const int64_t h = arguments.hidden;
  const Additive score{normal_numbers({h, arguments.query_width}, seed, 0),
                       normal_numbers({h, arguments.key_width}, seed, 1),
                       normal_numbers({h}, seed, 2)};
  lesson.formula(
      "a(q, k) = w_v' tanh(W_q q + W_k k)\n"
      "        = w_v' tanh(W [q; k])        W = [W_q W_k]: an MLP without biases");
  const AdditiveForms forms =
      additive_forms(normal_numbers({arguments.query_width}, seed, 3),
                     normal_numbers({arguments.keys, arguments.key_width}, seed, 4), score);
  std::vector<double> both = forms.additive;
  both.insert(both.end(), forms.mlp.begin(), forms.mlp.end());
  lesson.table("scores", "Scores", Tensor::from(both, {2, arguments.keys}),
               {{"additive", "MLP"}, numbered("key", arguments.keys)}, 6);
  lesson.number("parameters", "parameters: h (d_q + d_k + 1)",
                static_cast<double>(h * (arguments.query_width + arguments.key_width + 1)));

  const int64_t width = 64;
  const Tensor x = normal_numbers({arguments.length, width}, seed, 5).to(DType::f32);
  const Additive timed{normal_numbers({width, width}, seed, 6).to(DType::f32),
                       normal_numbers({width, width}, seed, 7).to(DType::f32),
                       normal_numbers({width}, seed, 8).to(DType::f32)};
  const ScoreCosts costs = score_costs({arguments.length, arguments.length, width, width, width});
  std::vector<double> counts;
  for (const ScoreCost& cost : {costs.additive, costs.pairwise_mlp, costs.scaled_dot}) {
    counts.push_back(static_cast<double>(cost.products));
    counts.push_back(static_cast<double>(cost.tanhs));
  }
  lesson.table("costs",
               fmt::format("Scores of {0} queries and {0} keys of width {1}, h = {1}",
                           arguments.length, width),
               Tensor::from(counts, {3, 2}),
               {{"additive", "MLP on each pair", "scaled dot"}, {"multiply-adds", "tanh"}});
  const double additive = milliseconds(x, timed);
  const double dot = milliseconds(x, ScaledDot{});
  lesson.number("additive_ms", fmt::format("{} rows of width 64: additive, ms", arguments.length),
                additive, 3);
  lesson.number("scaled_dot_ms",
                fmt::format("{} rows of width 64: scaled dot, ms", arguments.length), dot, 3);
  lesson.number("ratio", "additive takes so many times as long", additive / dot, 3);
  Figure bars({.title = "Time of attention", .x_label = "milliseconds"});
  bars.bars({"additive", "scaled dot"}, numbers({additive, dot}));
  lesson.figure("", bars);
  lesson.erratum(
      6,
      "the notes say that additive attention saves computation. It does in that W_q q and "
      "W_k k are computed once per row, and not for each pair as by an MLP; but each pair costs h "
      "tanh, and the measured time above says which is faster.");
}

}  // namespace

Demo additive_score_demo() {
  return {
      "additive-score",
      "Scores",
      "Additive attention is an MLP; its cost",
      "R26, R27, R30",
      "--hidden 8 --length 1024",
      with_options<AdditiveScoreArguments>(add_additive_score_options, show_additive_score_demo)};
}

}  // namespace heed::cli
