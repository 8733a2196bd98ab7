// Data that must be read more than once cannot come from a pipe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "heed/base/fail.h"

namespace heed {

// `why` ends the sentence "FILE is a pipe, but ..".
inline void refuse_pipe(const std::string& file, std::string_view why) {
  std::error_code not_there;
  check(!std::filesystem::is_fifo(file, not_there), "{} is a pipe, but {}", file, why);
}

inline constexpr std::string_view kFormatIsFound =
    "its format is found by reading it once more; write it to a file first, or name the format "
    "where there is `format`";

}  // namespace heed
