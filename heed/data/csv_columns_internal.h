// Which columns of a CSV file hold the text and the label.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heed/data/labeled_options.h"

namespace heed {

struct CsvColumns {
  size_t text, label;
};

// `first` is the first row: the header, or without one the first record. An Error lists what is
// there if the columns cannot be found.
CsvColumns find_csv_columns(const std::vector<std::string>& first, const LabeledOptions& options,
                            const std::string& file);

// Whether find_csv_columns() would succeed.
bool csv_columns_known(const std::vector<std::string>& first, const LabeledOptions& options);

}  // namespace heed
