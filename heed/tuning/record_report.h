// What was met in a file of records.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/error.h"
#include "heed/data/line_reader.h"

namespace heed {

// One record of a file cannot be used; those who may leave it out can say how.
class HEED_API BadRecord : public Error {
 public:
  using Error::Error;
};

struct RecordReport {
  int64_t used = 0;
  int64_t skipped = 0;        // those that could not be used
  std::string first_mistake;  // what is wrong with the first of these, and where
};

}  // namespace heed
