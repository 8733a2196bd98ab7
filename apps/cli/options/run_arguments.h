// What every command that trains asks about its run: where it goes, whether it goes on, and how
// much it says meanwhile.
#pragma once

#include <string>

#include "apps/cli/options/command_line.h"

namespace heed::cli {

struct RunArguments {
  std::string output;
  bool resume = false, overwrite = false, quiet = false;
  int threads = 0, view_port = -1;
  double minutes = 0;
};

// -o, with this text, and --resume, --overwrite, -t, --quiet, --view, --minutes.
void add_run_options(Command& command, RunArguments& options, const char* output_text);

// Wrong usage for options that exclude each other.
void check_run_options(const Command& command, const RunArguments& options);

}  // namespace heed::cli
