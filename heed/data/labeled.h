// Texts with a label, for a classifier.
//
//   tab     label<TAB>text
//   space   label text           the label ends at the first space
//   csv     a header names the columns; ',' ';' or tab separates them
//   json    {"text": "..", "label": ".."} on each line, see json_records.h
//
// What a file is, if it is not said: .csv is csv; .jsonl and .json are json, and so is a file whose
// first line is an object; .tsv is csv if its first line names both columns by names that are
// known; otherwise tab, if at least half of the lines have one, and else space. The report says
// which it was.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/labeled_options.h"
#include "heed/data/read_options.h"

namespace heed {

struct HEED_API LabeledReport {
  LineReport lines;
  DataFormat format = DataFormat::automatic;
  std::string text_column, label_column;  // of CSV and JSON lines, as they were found
  int64_t items = 0;                      // given to the caller
  std::map<std::string, int64_t> labels;  // how often each occurs in them
  Places no_text;                         // records with a label alone, left out
  Places bad_records;                     // no label, not the columns of the others, broken JSON
  std::string first_mistake;              // what is wrong with the first of these

  std::vector<Finding> findings() const;
};

using UseLabeled = std::function<void(std::string_view label, std::string_view text)>;

// Blanks around label and text are removed.
HEED_API LabeledReport for_each_labeled(const TextSource& source, const LabeledOptions& options,
                                        const UseLabeled& use);

}  // namespace heed
