#include "heed/data/text_blocks.h"

namespace heed {

LineReport for_each_block(const TextSource& source, const TextBlockOptions& options,
                          const std::function<void(std::string_view)>& use) {
  LineReader reader(source, {.encoding = options.encoding,
                             .bad_bytes = options.bad_bytes,
                             .longest = options.bytes,
                             .long_lines = LongLines::split});
  std::string block;
  bool line_is_open = false;
  while (const auto line = reader.next()) {
    block += *line;
    line_is_open = reader.continues() || reader.report().missing_newline;
    if (!line_is_open) block += '\n';
    if (static_cast<int64_t>(block.size()) < options.bytes) continue;
    use(block);
    block.clear();
  }
  if (!block.empty()) use(block);
  LineReport report = reader.report();
  report.in_pieces = true;
  return report;
}

}  // namespace heed
