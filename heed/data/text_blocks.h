// The text of a file in blocks, for a language model: never the whole file in memory.
//
//   for (const auto& file : files) {
//     for_each_block(file, {}, [&](std::string_view block) { store.append(encode(block)); });
//   }
//
// The blocks one after the other are the text of the file without byte order mark and with LF for
// CRLF. They end at ends of lines, except within lines that are longer than a block.
//
// JSON lines, which are known by their first lines whatever the file is called, give what their
// field "text" holds and a newline after each; a block then may be as long as a text.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "heed/base/export.h"
#include "heed/data/line_reader.h"
#include "heed/data/text_report.h"

namespace heed {

struct TextBlockOptions {
  Encoding encoding = Encoding::utf8;
  OnMistake bad_bytes = OnMistake::fail;
  OnMistake records = OnMistake::fail;  // JSON lines that are broken or have no "text"
  int64_t bytes = int64_t{1} << 20;     // of a block, about
  // Called between two texts of JSON lines, where one block ends and the next begins.
  std::function<void()> between = {};
};

HEED_API TextReport for_each_block(const TextSource& source, const TextBlockOptions& options,
                                   const std::function<void(std::string_view)>& use);

}  // namespace heed
