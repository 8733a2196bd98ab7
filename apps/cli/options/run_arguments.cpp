#include "apps/cli/options/run_arguments.h"

#include "apps/cli/options/option_checks.h"

namespace heed::cli {

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
}

void check_run_options(const Command& command, const RunArguments& options) {
  if (command.has("--steps") && command.has("--epochs")) {
    wrong_usage("--steps and --epochs exclude each other");
  }
  if (options.resume && options.overwrite) {
    wrong_usage("--resume and --overwrite exclude each other");
  }
}

}  // namespace heed::cli
