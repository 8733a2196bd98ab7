// What is in the files of a data set: how much, how long, how often, and what is wrong.
//
//   const DataSummary train = inspect({"train.en", "train.de"}, {.task = DataTask::translate});
//
// Mistakes are counted, not raised. An item is a line of plain text or a text of JSON lines (lm), a
// pair (translate), a labeled text (classify) or a sentence (tag).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/labeled.h"
#include "heed/data/line_reader.h"
#include "heed/data/tagged.h"

namespace heed {

enum class DataTask : uint8_t { lm, translate, classify, tag };

// "lm", "translate", "classify", "tag".
HEED_API std::string_view name(DataTask task);

// By the names of the files, the number of them and the first lines: .csv, .tsv and lines with one
// tab are for classify, and lines that begin with one of a few labels (DESC, 1); lines with one tab
// whose two sides are sentences for translate, and train.en with train.de; .conll, .conllu and
// columns for tag; JSON lines with text and label for classify, with source and target or a
// translation for translate; everything else, and other JSON lines, for lm.
HEED_API DataTask guess_task(const std::vector<std::string>& files);

struct InspectOptions {
  DataTask task = DataTask::lm;
  Encoding encoding = Encoding::utf8;
  int64_t longest = int64_t{1} << 20;  // bytes of a line
  // Formats and columns; what they say about encoding and errors is not used.
  LabeledOptions labeled = {};
  TaggedOptions tagged = {};
};

struct LengthSummary {
  int64_t shortest = 0, median = 0, longest = 0;
  double mean = 0;
};

// The texts on one side: "text", or "source" and "target".
struct SideSummary {
  std::string name;
  LengthSummary characters, words;
};

struct DataSummary {
  int64_t items = 0;
  std::string format;  // "csv: text from 'review', label from 'class'"
  std::vector<SideSummary> sides;
  std::map<std::string, int64_t> labels;  // or tags: how often each occurs
  // Items by their numbers, counted from 1; of plain text, lines.
  Places duplicates;  // occurred before
  Places conflicts;   // texts that occurred before with another label or other tags
  std::vector<Finding> findings;
  // A hash of each item, of pairs of the source, and its number. Of plain text only lines of
  // kTellingCharacters or more are compared: short ones repeat by themselves.
  std::vector<std::pair<uint64_t, int64_t>> keys;  // sorted
};

inline constexpr int64_t kTellingCharacters = 30;

// Of pairs, two files or one; else any number, whose items count as one set.
HEED_API DataSummary inspect(const std::vector<std::string>& files, const InspectOptions& options);

// Which items of one set occur in another.
HEED_API Places shared_items(const DataSummary& set, const DataSummary& other);

}  // namespace heed
