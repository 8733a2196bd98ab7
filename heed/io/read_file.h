// A whole file in memory. An Error says why it cannot be read.
#pragma once

#include <string>

#include "heed/base/export.h"

namespace heed {

HEED_API std::string read_file(const std::string& path);

}  // namespace heed
