// Results as text: tables, pictures that fit the terminal, JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "heed/figure/figure.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

// How wide stdout is, and whether it shows colors: a terminal, and NO_COLOR not set.
TerminalOptions stdout_terminal();

struct TableOptions {
  std::string row_name;  // before the number of a row: "query"
  int width = 80;
  int64_t rows = 16;  // at most; what is left out is counted
};

// A matrix with aligned numbers, its rows and columns numbered from 0.
std::string table(const Tensor& matrix, const TableOptions& options);

// Nested arrays; what JSON cannot say (NaN and infinities) is null.
nlohmann::ordered_json to_json(const Tensor& tensor);

// Writes an array and says so on stderr.
void save_and_tell(const std::string& path, const Tensor& tensor);

}  // namespace heed::cli
