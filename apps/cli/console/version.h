// What this program is and what it runs on, for bug reports.
#pragma once

#include <string>

namespace heed::cli {

// "heed 0.2.0" and a line each for the commit (if it was built from a git checkout), the compiler
// and the instruction set in use; or all of it as a JSON object. Ends without a line feed.
std::string version_text(bool json);

}  // namespace heed::cli
