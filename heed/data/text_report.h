// What was found in the text of a file for a language model, see text_blocks.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/line_reader.h"

namespace heed {

struct HEED_API TextReport {
  LineReport lines;
  bool is_json = false;  // JSON lines
  int64_t records = 0;   // whose text was read
  std::string refusal;   // why none can be: they have no field "text"
  Places bad_records;    // where others have one
  std::string first_mistake;

  // Empty lines are part of a text and no finding.
  std::vector<Finding> findings() const;
};

// Whether a text that begins so is JSON lines: the first three lines that are not empty begin like
// an object, and at least one of them is one.
HEED_API bool is_json_lines(std::string_view beginning);

}  // namespace heed
