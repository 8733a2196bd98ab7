// Any bytes are lines and records of every format, or a heed::Error; counting errors, never an
// Error except for the columns of a CSV file. The first byte chooses the options.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "heed/base/error.h"
#include "heed/data/labeled.h"
#include "heed/data/pairs.h"
#include "heed/data/tagged.h"
#include "heed/data/text_blocks.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void read_all(std::string_view text, const heed::ReadOptions& options, bool header) {
  int64_t bytes = 0;
  const auto block = [&](std::string_view part) { bytes += static_cast<int64_t>(part.size()); };
  heed::for_each_block({text, "fuzz"},
                       {.encoding = options.lines.encoding,
                        .bad_bytes = options.lines.bad_bytes,
                        .records = options.records,
                        .bytes = options.lines.longest},
                       block);
  require(bytes <= 3 * static_cast<int64_t>(text.size()));

  const std::string_view left = text.substr(0, text.size() / 2);
  heed::for_each_pair(
      {left, "left"}, {text.substr(left.size()), "right"}, options,
      [](std::string_view s, std::string_view t) { require(!s.empty() && !t.empty()); });
  heed::for_each_pair({text, "both"}, options, [](std::string_view, std::string_view) {});

  for (const auto format : {heed::DataFormat::automatic, heed::DataFormat::conllu}) {
    heed::for_each_tagged({text, "fuzz"}, {.read = options, .format = format},
                          [](const heed::TaggedSentence& sentence) {
                            require(!sentence.tokens.empty());
                            require(sentence.tokens.size() == sentence.tags.size());
                          });
  }
  const auto labeled = [](std::string_view label, std::string_view words) {
    require(!label.empty() && !words.empty());
  };
  heed::for_each_labeled({text, "fuzz.txt"}, {.read = options}, labeled);
  try {
    heed::for_each_labeled({text, "fuzz.csv"}, {.read = options, .header = header}, labeled);
  } catch (const heed::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto on_mistake = (data[0] & 1) != 0 ? heed::OnMistake::fail : heed::OnMistake::count;
  const heed::ReadOptions options{
      .lines = {.encoding = (data[0] & 2) != 0 ? heed::Encoding::latin1 : heed::Encoding::utf8,
                .bad_bytes = on_mistake,
                .longest = (data[0] & 4) != 0 ? 8 : 1 << 16},
      .records = on_mistake};
  try {
    read_all(text, options, (data[0] & 8) != 0);
  } catch (const heed::Error&) {
    require(on_mistake == heed::OnMistake::fail);
  }
  return 0;
}
