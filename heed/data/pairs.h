// Pairs of texts: a sentence and its translation, a report and its summary.
//
// Two files with one text per line, line n of one belonging to line n of the other; or one file of
// lines source<TAB>target; or one of JSON lines (json_records.h), which is known by its first
// record or by the ending .jsonl or .json. Pairs with an empty side are dropped and counted. Files
// with different numbers of lines are an Error that names both numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/read_options.h"

namespace heed {

struct HEED_API PairReport {
  LineReport source, target;               // of a single file, source only
  int64_t pairs = 0;                       // given to the caller
  Places empty;                            // lines where one side or both are empty
  Places no_tab;                           // lines of a single file without exactly one tab
  bool is_json = false;                    // a single file of JSON lines
  std::string source_field, target_field;  // of these: "source" or "translation.en"
  Places bad_records;                      // lines of these that cannot be read
  std::string first_mistake;               // what is wrong with the first of them

  // "source<TAB>target"; of JSON lines also which fields are read.
  std::string format() const;

  bool mismatched() const { return !target.file.empty() && source.lines != target.lines; }
  std::vector<Finding> findings() const;
};

using UsePair = std::function<void(std::string_view source, std::string_view target)>;

HEED_API PairReport for_each_pair(const TextSource& source, const TextSource& target,
                                  const ReadOptions& options, const UsePair& use);

// One file of source<TAB>target, or of JSON lines.
HEED_API PairReport for_each_pair(const TextSource& both, const ReadOptions& options,
                                  const UsePair& use);

}  // namespace heed
