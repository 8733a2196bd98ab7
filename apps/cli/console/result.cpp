#include "apps/cli/console/result.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "heed/base/fail.h"
#include "heed/base/printable.h"

namespace heed::cli {
namespace {

[[noreturn]] void fail_to_write() { fail("cannot write the results to stdout"); }

}  // namespace

void write_result(std::string_view text) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  std::string shown;
  if (is_terminal) text = shown = printable(text, "\n\t");
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) fail_to_write();
}

void finish_results() {
  // A stream may have failed to write long before its end.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail_to_write();
}

}  // namespace heed::cli
