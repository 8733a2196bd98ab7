// Softmax saturates for large scores.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/saturation.h"

namespace heed::cli {
namespace {

struct SaturationArguments {
  std::string scores = "0.5,-1,1.5,0";
  std::string scales = "0.1,1,3,10,30,100,1000";
};

void add_saturation_options(Command& command, SaturationArguments& arguments) {
  command.add_option("--scores", arguments.scores, "Scores (default 0.5,-1,1.5,0)")
      .type_name("NUMBERS");
  command.add_option("--scales", arguments.scales, "Factors to print").type_name("NUMBERS");
}

void show_saturation_demo(const SaturationArguments& arguments, Lesson& lesson) {
  const std::vector<double> scores = number_list("--scores", arguments.scores);
  const std::vector<double> scales = number_list("--scales", arguments.scales);
  lesson.formula("w = softmax(c s)        J = diag(w) - w w', the derivative of softmax");
  const std::vector<SaturationPoint> points = saturation(scores, scales);
  Tensor table = Tensor::empty({static_cast<int64_t>(points.size()), 5}, DType::f64);
  for (size_t i = 0; i < points.size(); ++i) {
    double* row = table.data<double>() + 5 * i;
    row[0] = points[i].scale;
    row[1] = points[i].largest;
    row[2] = points[i].entropy;
    row[3] = points[i].gradient_norm;
    row[4] = points[i].float_gradient_norm;
  }
  lesson.table("points", "By scale", table,
               {{}, {"c", "max weight", "entropy", "|J| double", "|J| float"}}, 6);
  std::vector<double> c, largest, gradient;
  for (int i = 0; i <= 100; ++i) c.push_back(std::pow(10.0, -1 + 0.03 * i));
  for (const SaturationPoint& point : saturation(scores, c)) {
    largest.push_back(point.largest);
    gradient.push_back(point.gradient_norm);
  }
  Figure figure({.title = "Saturation of softmax",
                 .x_label = "scale c",
                 .y_label = "weight, norm",
                 .log_x = true});
  figure.line(numbers(c), numbers(largest), {.label = "largest weight"});
  figure.line(numbers(c), numbers(gradient), {.label = "norm of the derivative"});
  lesson.figure("", figure);
  lesson.erratum(
      27,
      "one document says that the gradient of softmax never vanishes, another that it "
      "saturates. In real numbers it never is 0 but goes to 0; in floating point it is 0.");
}

}  // namespace

Demo saturation_demo() {
  return {"saturation",
          "The attention layer",
          "Large scores make softmax one-hot",
          "R49",
          "--scores 1,2,3",
          with_options<SaturationArguments>(add_saturation_options, show_saturation_demo)};
}

}  // namespace heed::cli
