// Who can tell how good an answer really is: the generated tasks whose truth is known.
#pragma once

#include <string>

#include "heed/tuning/judge.h"

namespace heed::cli {

// "world", or empty for none.
Judge judge_named(const std::string& name);

}  // namespace heed::cli
