// Words for reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/data/line_reader.h"

namespace heed {

// "line 4", "lines 4, 7, 9, ..."
std::string at_lines(const Places& places);

// "1 line", "3 lines"
std::string counted(int64_t count, std::string_view one, std::string_view many);

}  // namespace heed
