// The library speaks of arguments, the program of options.
#pragma once

#include <string>
#include <string_view>

namespace heed::cli {

// A text of the library in which each argument between backquotes is replaced by the option that
// gives it: "`max-length` is 0" becomes "--max-length is 0".
std::string with_options(std::string_view text);

}  // namespace heed::cli
