// The Gaussian score multiplied out: where dot-product attention comes from.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/textbook/score_forms.h"

namespace heed::cli {
namespace {

struct GaussianScoreArguments {
  std::string q = "1,2";
  std::string k = "0,1;3,1;-1,2";
};

void add_gaussian_score_options(Command& command, GaussianScoreArguments& arguments) {
  command.add_option("--q", arguments.q, "The query (default 1,2)").type_name("NUMBERS");
  command.add_option("--k", arguments.k, "The keys (default 0,1;3,1;-1,2)").type_name("ROWS");
}

void show_gaussian_score_demo(const GaussianScoreArguments& arguments, Lesson& lesson) {
  const Tensor q = numbers(number_list("--q", arguments.q));
  const Tensor k = matrix_option("--k", arguments.k);
  lesson.formula("-|q - k|^2 / 2 = q.k - |k|^2 / 2 - |q|^2 / 2");
  check(q.dim(0) == k.dim(1), "--q has {} numbers, the rows of --k have {}; they need the same",
        q.dim(0), k.dim(1));
  lesson.say(fmt::format("Query {}; keys {}.", rows_text(q.reshape({1, q.dim(0)})), rows_text(k)));
  const GaussianForms forms = gaussian_forms(q, k);
  const int64_t m = k.dim(0);
  const auto stack = [&](const std::vector<const std::vector<double>*>& rows) {
    std::vector<double> all;
    for (const std::vector<double>* row : rows) all.insert(all.end(), row->begin(), row->end());
    return Tensor::from(all, {static_cast<int64_t>(rows.size()), m});
  };
  const std::vector<std::string> keys = numbered("key", m);
  lesson.table("scores", "Scores", stack({&forms.direct, &forms.expanded}),
               {{"direct", "expanded"}, keys}, 6);
  const Tensor weights = stack({&forms.weights, &forms.without_q, &forms.dot_only});
  const std::vector<std::string> names{"softmax", "without |q|^2", "q.k alone"};
  lesson.table("weights", "Weights", weights, {names, keys}, 6);
  Figure bars({.title = "Weights", .x_label = "weight"});
  bars.bars(keys, numbers(forms.weights), {.label = "Gaussian"});
  bars.bars(keys, numbers(forms.dot_only), {.label = "q.k alone"});
  lesson.figure("", bars);
  lesson.say(
      "The term of q is the same for all keys, so softmax does not see it. That of the keys "
      "matters "
      "unless all keys have the same norm, as after layer normalization; then the dot product "
      "does.");
}

}  // namespace

Demo gaussian_score_demo() {
  return {
      "gaussian-score",
      "Scores",
      "The Gaussian score multiplied out",
      "R21",
      "--k '1,0;0,1;0.6,0.8'",
      with_options<GaussianScoreArguments>(add_gaussian_score_options, show_gaussian_score_demo)};
}

}  // namespace heed::cli
