// heed complexity: what layers cost, by formula, counted and timed.

#include <fmt/format.h>

#include <memory>

#include "apps/cli/demos/complexity_report.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/parallel.h"
#include "heed/io/atomic_file.h"

namespace heed::cli {
namespace {

struct ComplexityArguments {
  LayerSizes sizes;
  bool measure = false;
  std::string plot;
  bool json = false;
  int threads = 0;
};

void report_complexity(const ComplexityArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  Lesson lesson({.json = arguments.json}, "complexity", "Multiply-adds and parameters of layers",
                "R102-R105");
  show_complexity(arguments.sizes, arguments.measure, lesson);
  lesson.finish();
  if (arguments.plot.empty()) return;
  FigureGrid grid({.columns = 2});
  for (const Figure& figure : complexity_figures(arguments.sizes, arguments.measure)) {
    grid.add(figure);
  }
  write_file(arguments.plot, grid.svg({.width = 560, .height = 420}));
  say("wrote {}\n", arguments.plot);
}

}  // namespace

void add_complexity_command(CLI::App& app, Run& run) {
  Command command(app, "complexity", "What attention, recurrence and convolution cost");
  auto arguments = std::make_shared<ComplexityArguments>();
  add_layer_sizes(command, arguments->sizes);
  command.add_flag("--measure", arguments->measure, "Also run the layers and time them");
  command.add_option("--plot", arguments->plot, "Draw cost against L into this .svg file")
      .type_name("FILE");
  command.add_flag("--json", arguments->json, "Print the tables as JSON");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .type_name("N")
      .check(whole_number(1, 1024));
  command.footer(
      "The tables have the notes' formulas, the right ones, and what was counted from\n"
      "layers made for it; one with more than 64 million parameters is not made.\n"
      "Example:\n  heed complexity --L 1024 --d 512 --dk 64 --dv 64 --kernel 5");
  command.callback([&run, arguments] {
    require_svg("--plot", arguments->plot);
    if (arguments->sizes.kernel % 2 == 0) wrong_usage("--kernel must be odd");
    run = [arguments] { report_complexity(*arguments); };
  });
}

}  // namespace heed::cli
