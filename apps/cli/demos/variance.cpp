// Why scores are divided by the root of the width.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/score_variance.h"

namespace heed::cli {
namespace {

struct VarianceArguments {
  ScoreVarianceOptions experiment;
  int64_t runs = 10;
};

void add_variance_options(Command& command, VarianceArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t max) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(1, max));
  };
  size("--batch", arguments.experiment.batch, "B (default 10)", 1000);
  size("--length", arguments.experiment.length, "T (default 10)", 1000);
  size("--width", arguments.experiment.width, "C (default 5000)", 100000);
  command
      .add_option("-m,--deviation", arguments.experiment.deviation,
                  "Standard deviation m of Q and K (default 1)")
      .type_name("M")
      .check(positive_number());
  size("--runs", arguments.runs, "Seeds to average (default 10)", 1000);
  add_seed(command, arguments.experiment.seed);
}

void show_variance_demo(const VarianceArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "Q, K: B x T x C numbers, mean 0, standard deviation m\n"
      "var(Q) = m^2     var(Q K') = C m^4     var(Q K' / sqrt(C)) = m^4");
  const RepeatedScoreVariance runs = repeat_score_variance(arguments.runs, arguments.experiment);
  const ScoreVariance one = score_variance(arguments.experiment);
  const ScoreVariance& mean = runs.mean;
  const bool is_one = arguments.runs == 1;
  lesson.table(
      "variances",
      is_one ? std::string("One run (also its own mean), and theory")
             : fmt::format("One run, the mean of {} runs, and theory", arguments.runs),
      Tensor::from(
          std::vector<double>{one.query_variance, mean.query_variance, mean.expected_query,
                              one.score_variance, mean.score_variance, mean.expected_score,
                              one.scaled_variance, mean.scaled_variance, mean.expected_scaled},
          {3, 3}),
      {{"var(Q)", "var(Q K')", "var(Q K' / sqrt(C))"}, {"one run", "mean", "theory"}});
  if (is_one) {
    lesson.say("How far one run is from the mean of many takes more of them: --runs 2 or more.");
  } else {
    lesson.number("run_error", "standard error of one run's var(Q K')", runs.deviation, 4);
    lesson.number("mean_error", "standard error of the mean", runs.standard_error, 4);
  }
  lesson.number("largest_weight", "largest weight of a row, mean, not scaled", mean.largest_weight,
                4);
  lesson.number("largest_scaled_weight", "largest weight of a row, mean, scaled",
                mean.largest_scaled_weight, 4);
  Figure bars({.title = "Mean of the largest softmax weight of a row", .x_label = "weight"});
  bars.bars({"Q K'", "Q K' / sqrt(C)"}, numbers({mean.largest_weight, mean.largest_scaled_weight}));
  lesson.figure("", bars);
  lesson.erratum(
      13,
      "the notes say \"if the variance is m, the variance of the product is m^4 C\"; it is "
      "the standard deviation that is m.");
  lesson.erratum(14, "\"max value of each channel\" is that of each row, that is, of each query.");
  lesson.erratum(15, "var(m X) = m^2 var(X): the same X on both sides.");
}

}  // namespace

Demo variance_demo() {
  return {"variance",
          "The attention layer",
          "Why scores are divided by the root of the width",
          "R48",
          "-m 2",
          with_options<VarianceArguments>(add_variance_options, show_variance_demo)};
}

}  // namespace heed::cli
