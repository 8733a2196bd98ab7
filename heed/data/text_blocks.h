// Plain text in blocks, for a language model: never the whole file in memory.
//
//   for (const auto& file : files) {
//     for_each_block(file, {}, [&](std::string_view block) { store.append(encode(block)); });
//   }
//
// The blocks one after the other are the text of the file without byte order mark and with LF for
// CRLF. They end at ends of lines, except within lines that are longer than a block.
#pragma once

#include <functional>
#include <string_view>

#include "heed/base/export.h"
#include "heed/data/line_reader.h"

namespace heed {

struct TextBlockOptions {
  Encoding encoding = Encoding::utf8;
  OnMistake bad_bytes = OnMistake::fail;
  int64_t bytes = int64_t{1} << 20;  // of a block, about
};

HEED_API LineReport for_each_block(const TextSource& source, const TextBlockOptions& options,
                                   const std::function<void(std::string_view)>& use);

}  // namespace heed
