// The complexity tables; heed complexity has them with all options.

#include "apps/cli/demos/complexity_report.h"
#include "apps/cli/demos/demo.h"

namespace heed::cli {
namespace {

struct ComplexityDemoArguments {
  LayerSizes sizes;
  bool measure = false;
};

void add_complexity_options(Command& command, ComplexityDemoArguments& arguments) {
  add_layer_sizes(command, arguments.sizes);
  command.add_flag("--measure", arguments.measure, "Also run the layers and time them");
}

void show_complexity_demo(const ComplexityDemoArguments& arguments, Lesson& lesson) {
  show_complexity(arguments.sizes, arguments.measure, lesson);
}

}  // namespace

Demo complexity_demo() {
  return {"complexity",
          "Complexity",
          "Multiply-adds and parameters of layers",
          "R102-R105",
          "--L 1024 --measure",
          with_options<ComplexityDemoArguments>(add_complexity_options, show_complexity_demo)};
}

}  // namespace heed::cli
