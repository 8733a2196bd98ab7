// The exception of the library. What a caller may want to tell apart derives from it, as Diverged
// of heed/train/trainer.h does.
//
// A message says where it happened, what was expected, what came and what to do next. The library
// never prints, aborts or exits; the program turns an Error into exit code 1.
#pragma once

#include <stdexcept>
#include <string>

#include "heed/base/export.h"

namespace heed {

class HEED_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace heed
