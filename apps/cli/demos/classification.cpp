// The same estimator classifies: one-hot values give class probabilities.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/regression/kernel_regression.h"

namespace heed::cli {
namespace {

struct ClassificationArguments {
  std::string x = "0;1;2;3;4;5;6;7";
  std::string classes = "a a a b a b b b";
  std::string at = "0;2;3.5;5;7";
  double width = 1;
};

void add_classification_options(Command& command, ClassificationArguments& arguments) {
  command.add_option("--x", arguments.x, "Places, one per row").type_name("ROWS");
  command.add_option("--classes", arguments.classes, "One word per place").type_name("WORDS");
  command.add_option("--at", arguments.at, "Where to classify, one per row").type_name("ROWS");
  command.add_option("--width", arguments.width, "Width of the Gaussian (default 1)")
      .type_name("H")
      .check(positive_number());
}

void show_classification_demo(const ClassificationArguments& arguments, Lesson& lesson) {
  const Tensor x = matrix_option("--x", arguments.x);
  const Tensor at = matrix_option("--at", arguments.at);
  const std::vector<std::string> labels = word_list(arguments.classes);
  if (static_cast<int64_t>(labels.size()) != x.dim(0)) {
    wrong_usage(fmt::format("--x has {} rows, --classes {} words; one each is needed", x.dim(0),
                            labels.size()));
  }
  std::vector<std::string> classes;
  std::vector<size_t> index;
  for (const std::string& label : labels) {
    size_t c = 0;
    while (c < classes.size() && classes[c] != label) ++c;
    if (c == classes.size()) classes.push_back(label);
    index.push_back(c);
  }
  const auto C = static_cast<int64_t>(classes.size());
  Tensor y = Tensor::zeros({x.dim(0), C}, DType::f64);
  for (size_t i = 0; i < index.size(); ++i) {
    y.data<double>()[static_cast<int64_t>(i) * C + static_cast<int64_t>(index[i])] = 1;
  }
  lesson.formula("P(class c at q) = sum_i [y_i = c] K(q, x_i) / sum_i K(q, x_i)");
  lesson.say(fmt::format("Seen: {}; their classes: {}. Width {:g}.", rows_text(x),
                         fmt::join(labels, ", "), arguments.width));
  const RegressionOptions attend{Gaussian{Tensor::full({1}, arguments.width, DType::f64)}};
  const Tensor probabilities = kernel_regression(at, x, y, attend);
  std::vector<std::string> rows;
  for (int64_t i = 0; i < at.dim(0); ++i) {
    rows.push_back(fmt::format("at {:g}", at.data<double>()[i * at.dim(1)]));
  }
  lesson.table("probabilities", "Class probabilities; rows sum to 1", probabilities,
               {rows, classes});
  if (x.dim(1) != 1) return;
  std::vector<double> grid;
  const double low = x.data<double>()[0];
  const double high = x.data<double>()[x.dim(0) - 1];
  for (int i = 0; i <= 100; ++i) grid.push_back(low + (high - low) * i / 100);
  const Tensor curve =
      kernel_regression(Tensor::from(grid, {static_cast<int64_t>(grid.size()), 1}), x, y, attend);
  Figure figure({.title = "Class probabilities", .x_label = "x", .y_label = "probability"});
  for (int64_t c = 0; c < C; ++c) {
    figure.line(numbers(grid), curve.slice(1, c, c + 1), {.label = classes[c]});
  }
  lesson.figure("", figure);
}

}  // namespace

Demo classification_demo() {
  return {
      "classification",
      "Kernel regression",
      "One-hot values give class probabilities",
      "R16",
      "--width 0.3",
      with_options<ClassificationArguments>(add_classification_options, show_classification_demo)};
}

}  // namespace heed::cli
