#include "heed/data/text_blocks.h"

#include "heed/data/text_reader_internal.h"

namespace heed {

TextReport for_each_block(const TextSource& source, const TextBlockOptions& options,
                          const std::function<void(std::string_view)>& use) {
  TextReader reader(
      source,
      {.encoding = options.encoding, .bad_bytes = options.bad_bytes, .longest = options.bytes},
      options.records);
  std::string block;
  const auto use_block = [&] {
    if (!block.empty()) use(block);
    block.clear();
  };
  bool has_text = false;
  while (const auto text = reader.next()) {
    if (reader.is_json()) {
      if (text->empty()) continue;
      if (has_text && options.between) {
        use_block();
        options.between();
      }
      has_text = true;
    }
    block += *text;
    if (!reader.is_open()) block += '\n';
    if (static_cast<int64_t>(block.size()) >= options.bytes) use_block();
  }
  use_block();
  return reader.report();
}

}  // namespace heed
