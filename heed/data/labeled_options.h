// How texts with a label are read, see labeled.h.
#pragma once

#include <string>

#include "heed/data/read_options.h"

namespace heed {

struct LabeledOptions {
  ReadOptions read = {};
  DataFormat format = DataFormat::automatic;
  // Columns of a CSV file: a name of the header, or a number counted from 1. Empty: text, sentence,
  // review, ... and label, class, category, ... whatever their case; both must be there.
  // Fields of JSON lines: a name. Empty: text and label.
  std::string text_column = {}, label_column = {};
  // False: the first row is data. The columns must be given by number then, unless there are two:
  // the label is the shorter one in the first row.
  bool header = true;
};

}  // namespace heed
