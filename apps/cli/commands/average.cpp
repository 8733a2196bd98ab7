// heed average: the mean of the weights of several runs.

#include <memory>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/run/average_runs.h"
#include "heed/run/merge_adapters.h"
#include "heed/run/run_folder.h"

namespace heed::cli {
namespace {

struct AverageArguments {
  std::vector<std::string> runs;
  std::string output;
  bool merge = false;
};

void average(const AverageArguments& arguments) {
  if (is_run_folder(arguments.output)) {
    fail("{} already holds a run; name another folder", arguments.output);
  }
  if (arguments.merge) {
    merge_adapters(arguments.runs[0], arguments.output);
    say("{} with its adapters merged is in {}\n", arguments.runs[0], arguments.output);
    return;
  }
  average_runs(arguments.runs, arguments.output);
  say("the mean of {} {} is in {}\n", arguments.runs.size(),
      arguments.runs.size() == 1 ? "run" : "runs", arguments.output);
}

}  // namespace

void add_average_command(CLI::App& app, Run& run) {
  Command command(app, "average", "Average the weights of several runs");
  auto arguments = std::make_shared<AverageArguments>();
  command.add_option("DIRS", arguments->runs, "Folders of runs with the same model (required)")
      .type_name("DIR");
  command.add_option("-o,--output", arguments->output, "The folder of the new model (required)")
      .type_name("DIR");
  command.add_flag("--merge", arguments->merge,
                   "Add the adapters of one run (heed finetune --lora) to its matrices");
  command.footer(
      "The runs should have a common beginning: copies of one run at different\n"
      "steps, or runs that began with --init-from the same one.\n"
      "Example:\n  heed average run-9000 run-10000 -o averaged\n"
      "  heed average --merge tuned -o whole");
  command.callback([&run, command, arguments] {
    if (arguments->runs.empty()) wrong_usage("DIRS is required: the folders of runs");
    require_option(command, "--output");
    if (arguments->merge && arguments->runs.size() != 1) {
      wrong_usage("--merge takes one run");
    }
    run = [arguments] { average(*arguments); };
  });
}

}  // namespace heed::cli
