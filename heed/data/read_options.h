// What the readers of records share.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/base/export.h"
#include "heed/data/line_reader.h"

namespace heed {

// How a file holds its records.
enum class DataFormat : uint8_t {
  automatic,  // found out by the name and the contents
  tab,        // label<TAB>text, or source<TAB>target
  space,      // label, a space, text
  csv,        // comma-separated with a header
  json,       // JSON lines: an object on each
  conll,      // a token and its tag per line, an empty line after each sentence
  conllu,     // the same in the ten columns of Universal Dependencies
};

// "automatic", "tab", "space", "csv", "json", "conll", "conllu".
HEED_API std::string_view name(DataFormat format);

struct ReadOptions {
  LineOptions lines = {};
  // Records that are not as they should be: a missing tab, a mismatch of line counts.
  OnMistake records = OnMistake::fail;
};

}  // namespace heed
