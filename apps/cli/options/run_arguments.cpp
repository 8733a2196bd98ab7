#include "apps/cli/options/run_arguments.h"

#include "apps/cli/options/option_checks.h"
#include "heed/run/run_folder.h"

namespace heed::cli {
namespace {

void check_minutes(const Command& command, const RunArguments& options) {
  if (!command.has("--minutes")) return;
  for (const char* other : {"--steps", "--epochs"}) {
    if (command.has(other)) {
      wrong_usage(std::string("--minutes and ") + other + " exclude each other");
    }
  }
  if (options.resume && is_run_folder(options.output)) {
    wrong_usage(
        "--minutes is for new runs: this one makes the steps that it planned; --steps changes "
        "them");
  }
}

}  // namespace

void add_run_options(Command& command, RunArguments& options, const char* output_text) {
  command.add_option("-o,--output", options.output, output_text).type_name("DIR");
  command.add_flag("--resume", options.resume, "Go on where the run in the folder stopped");
  command.add_flag("--overwrite", options.overwrite, "Replace a run that is in the folder");
  command.add_option("-t,--threads", options.threads, "Threads (default: one per core)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--quiet", options.quiet, "No progress");
  command
      .add_option("--view", options.view_port,
                  "Show the run in the browser, on this port, while it trains; 0: any port")
      .check(whole_number(0, 65535))
      .type_name("PORT");
  command
      .add_option("--minutes", options.minutes,
                  "Train for about so long, instead of --steps: measures the speed, then plans the "
                  "steps that fit, validations included")
      .check(number(0.05, 10000))
      .type_name("M")
      .group("Training");
}

void check_run_options(const Command& command, const RunArguments& options) {
  if (command.has("--steps") && command.has("--epochs")) {
    wrong_usage("--steps and --epochs exclude each other");
  }
  if (options.resume && options.overwrite) {
    wrong_usage("--resume and --overwrite exclude each other");
  }
  check_minutes(command, options);
}

}  // namespace heed::cli
