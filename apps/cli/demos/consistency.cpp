// More data helps if the kernel narrows with it.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/consistency.h"

namespace heed::cli {
namespace {

struct ConsistencyArguments {
  std::string observations = "25,50,100,200,400,800,1600,3200";
  ConsistencyOptions experiment;
};

void add_consistency_options(Command& command, ConsistencyArguments& arguments) {
  command.add_option("--n", arguments.observations, "Numbers of observations").type_name("NUMBERS");
  command.add_option("--width", arguments.experiment.width, "c of h = c n^(-1/5) (default 1)")
      .type_name("C")
      .check(positive_number());
  command.add_option("--seeds", arguments.experiment.seeds, "Experiments to average (default 5)")
      .type_name("N")
      .check(whole_number(1, 1000));
  add_seed(command, arguments.experiment.seed);
}

void show_consistency_demo(const ConsistencyArguments& arguments, Lesson& lesson) {
  const std::vector<int64_t> sizes = whole_list("--n", arguments.observations);
  lesson.formula("h_n = c n^(-1/(d+4)), d = 1: the error goes to 0\nh   = c: the error stalls");
  const std::vector<ConsistencyPoint> points = consistency_experiment(sizes, arguments.experiment);
  std::vector<double> n, narrowing, fixed;
  Tensor table = Tensor::empty({static_cast<int64_t>(points.size()), 4}, DType::f64);
  for (size_t i = 0; i < points.size(); ++i) {
    n.push_back(static_cast<double>(points[i].observations));
    narrowing.push_back(points[i].narrowing_error);
    fixed.push_back(points[i].fixed_error);
    double* row = table.data<double>() + 4 * i;
    row[0] = n.back();
    row[1] = points[i].narrowing_width;
    row[2] = narrowing.back();
    row[3] = fixed.back();
  }
  lesson.table(
      "points", "Mean squared error against the truth", table,
      {{}, {"n", "h_n", "with h_n", fmt::format("with h = {:g}", arguments.experiment.width)}});
  Figure figure({.title = "Error against the number of observations",
                 .x_label = "observations",
                 .y_label = "mean squared error",
                 .log_x = true,
                 .log_y = true});
  figure.line(numbers(n), numbers(narrowing), {.label = "width narrows"});
  figure.line(numbers(n), numbers(fixed), {.label = "width fixed", .style = LineStyle::dashed});
  lesson.figure("", figure);
  lesson.say(
      "The tenth of the points at each end is left out: there the kernel sees one side only, and "
      "the estimate is biased at any width.");
}

}  // namespace

Demo consistency_demo() {
  return {"consistency",
          "Kernel regression",
          "More data helps if the kernel narrows with it",
          "R18",
          "--width 2",
          with_options<ConsistencyArguments>(add_consistency_options, show_consistency_demo)};
}

}  // namespace heed::cli
