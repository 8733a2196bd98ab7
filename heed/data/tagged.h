// Sentences whose words have tags: parts of speech, names in BIO.
//
//   conll     columns separated by tabs or spaces, one word per line, an empty line after each
//             sentence; lines with -DOCSTART- are skipped. The word is in the first column and the
//             tag in the last, if nothing else is said.
//   conllu    ten columns separated by tabs; comments (#), ranges (3-4) and empty nodes (3.1) are
//             skipped. The word is in column 2 and the tag (UPOS) in column 4.
//
// A file is conllu if its name ends so or if its first row has ten columns and begins with a
// number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/read_options.h"

namespace heed {

struct TaggedOptions {
  ReadOptions read = {};
  DataFormat format = DataFormat::automatic;
  // Counted from 1; -1 is the last column. 0: as the format has it.
  int64_t token_column = 0, tag_column = 0;
};

struct TaggedSentence {
  std::vector<std::string> tokens, tags;  // of the same length, 1 or more

  bool operator==(const TaggedSentence&) const = default;
};

struct HEED_API TaggedReport {
  LineReport lines;
  DataFormat format = DataFormat::automatic;
  int64_t sentences = 0, tokens = 0;
  std::map<std::string, int64_t> tags;  // how often each occurs
  int64_t skipped = 0;                  // ranges, empty nodes, -DOCSTART-
  Places bad_rows;                      // rows without the columns, left out
  std::string first_mistake;            // what is wrong with the first of these

  std::vector<Finding> findings() const;
};

using UseTagged = std::function<void(const TaggedSentence&)>;

HEED_API TaggedReport for_each_tagged(const TextSource& source, const TaggedOptions& options,
                                      const UseTagged& use);

}  // namespace heed
