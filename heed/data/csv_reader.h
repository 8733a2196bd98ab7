// The records of a CSV file (RFC 4180): fields in quotes may hold separators, line ends and doubled
// quotes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/line_reader.h"

namespace heed {

class CsvReader {
 public:
  CsvReader(const TextSource& source, const LineOptions& options);

  // Reads the next record that is not an empty line; false after the last.
  bool next();

  const std::vector<std::string>& fields() const { return fields_; }
  int64_t line() const { return line_; }  // where the record begins
  // What is wrong with the record, or empty.
  const std::string& mistake() const { return mistake_; }
  char separator() const { return separator_; }
  const LineReport& report() const { return reader_.report(); }

 private:
  void parse(std::string_view line);

  LineReader reader_;
  int64_t longest_;
  char separator_ = 0;  // found out by the first record
  std::vector<std::string> fields_;
  int64_t line_ = 0;
  std::string mistake_;
  bool in_quotes_ = false;
};

}  // namespace heed
