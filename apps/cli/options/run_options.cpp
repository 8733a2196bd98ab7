#include "apps/cli/options/run_options.h"

#include <fmt/format.h>

#include "apps/cli/options/option_checks.h"
#include "heed/base/error.h"
#include "heed/run/run_folder.h"

namespace heed::cli {

void add_run_options(Command& command, RunOptions& options, const char* output_text) {
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

void check_run_options(const Command& command, const RunOptions& options) {
  if (command.has("--steps") && command.has("--epochs")) {
    wrong_usage("--steps and --epochs exclude each other");
  }
  if (options.resume && options.overwrite) {
    wrong_usage("--resume and --overwrite exclude each other");
  }
}

void require_free_folder(const RunOptions& options, const std::string& again) {
  if (options.resume || options.overwrite || !is_run_folder(options.output)) return;
  throw Error(
      fmt::format("{0} already holds a run; go on with it (heed {1} -o {0} --resume), begin anew "
                  "(--overwrite), or name another folder",
                  options.output, again));
}

}  // namespace heed::cli
