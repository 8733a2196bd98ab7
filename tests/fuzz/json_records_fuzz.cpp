// Any bytes are labeled texts or pairs as JSON lines, or a heed::Error; counting errors, never an
// Error. The first byte chooses the options.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "heed/base/error.h"
#include "heed/data/json_records.h"
#include "heed/data/labeled.h"
#include "heed/data/pairs.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void read_labels(std::string_view text, const heed::LabeledOptions& options) {
  int64_t items = 0;
  const heed::LabeledReport report =
      heed::for_each_labeled({text, "fuzz.jsonl"}, options, [&](auto label, auto words) {
        require(!label.empty() && !words.empty());
        ++items;
      });
  require(report.format == heed::DataFormat::json && report.items == items);
  require((report.bad_records.count == 0) == report.first_mistake.empty());
}

void read_pairs(std::string_view text, const heed::ReadOptions& options, const char* name) {
  int64_t pairs = 0;
  const heed::PairReport report =
      heed::for_each_pair({text, name}, options, [&](auto source, auto target) {
        require(!source.empty() && !target.empty());
        ++pairs;
      });
  require(report.pairs == pairs);
  require((report.bad_records.count == 0) == report.first_mistake.empty());
  require(!report.is_json || report.no_tab.count == 0);
}

template <typename Read>
void try_to(Read read, heed::OnMistake on_mistake) {
  try {
    read();
  } catch (const heed::Error&) {
    require(on_mistake == heed::OnMistake::fail);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto on_mistake = (data[0] & 1) != 0 ? heed::OnMistake::fail : heed::OnMistake::count;
  const heed::ReadOptions read{
      .lines = {.encoding = (data[0] & 2) != 0 ? heed::Encoding::latin1 : heed::Encoding::utf8,
                .bad_bytes = on_mistake,
                .longest = (data[0] & 4) != 0 ? 8 : 1 << 16},
      .records = on_mistake};
  heed::LabeledOptions labeled{.read = read};
  if ((data[0] & 8) != 0) labeled.text_column = "t";
  try_to([&] { read_labels(text, labeled); }, on_mistake);
  for (const char* name : {"fuzz.jsonl", "fuzz.txt"}) {
    try_to([&] { read_pairs(text, read, name); }, on_mistake);
  }
  return 0;
}
