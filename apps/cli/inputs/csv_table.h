// A CSV file with a header: columns by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/line_reader.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

class CsvTable {
 public:
  // Reads the whole file. An Error names the line if a record has too few or too many fields.
  explicit CsvTable(const std::string& path, Encoding encoding = Encoding::utf8);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }
  int64_t rows() const { return static_cast<int64_t>(cells_.size()); }

  // The index of a column; an Error lists what there is, and suggests the nearest.
  size_t column(const std::string& name) const;
  const std::string& cell(int64_t row, size_t column) const { return cells_[row][column]; }

  // Finite numbers, [rows, names.size()], float64; an Error names line and column of what is none.
  Tensor numbers(const std::vector<std::string>& names) const;

  // Whether a column is one of numbers: at least half of its cells are.
  bool is_numeric(size_t column) const;

  // Where a row begins in the file, counted from 1.
  int64_t line(int64_t row) const { return lines_[row]; }

 private:
  std::string path_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<int64_t> lines_;  // of each row
};

// utf-8, which it is if nothing is said, or latin1.
Encoding encoding_of(const std::string& name);

// "a,b" as names.
std::vector<std::string> name_list(const std::string& option, const std::string& text);

// Writes a table with a header; text is quoted where it must be.
void write_csv_table(const std::string& path, const std::vector<std::string>& names,
                     const std::vector<std::vector<std::string>>& rows);

}  // namespace heed::cli
