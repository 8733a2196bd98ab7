#include "apps/cli/inputs/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/options/option_checks.h"
#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/data/csv_reader.h"
#include "heed/io/atomic_file.h"
#include "heed/io/number.h"

namespace heed::cli {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + shown(name);
  return text;
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

CsvTable::CsvTable(const std::string& path, Encoding encoding) : path_(path) {
  CsvReader reader(path, {.encoding = encoding});
  while (reader.next()) {
    check(reader.mistake().empty(), "{}: line {}: {}", path, reader.line(), reader.mistake());
    if (names_.empty()) {
      for (const std::string& name : reader.fields())
        names_.emplace_back(trimmed(name, kCellBlanks));
      const bool has_number =
          std::any_of(names_.begin(), names_.end(),
                      [](const std::string& name) { return number_in(name).has_value(); });
      check(!has_number, "{}: line 1 must name the columns, but it has numbers: {}", path,
            joined(names_));
      continue;
    }
    check(reader.fields().size() == names_.size(), "{}: line {} has {} fields, the header has {}",
          path, reader.line(), reader.fields().size(), names_.size());
    std::vector<std::string> row;
    for (const std::string& cell : reader.fields()) row.emplace_back(trimmed(cell, kCellBlanks));
    cells_.push_back(std::move(row));
    lines_.push_back(reader.line());
  }
  check(!names_.empty(), "{}: the file is empty", path);
  check(!cells_.empty(), "{}: there is a header and no row below it", path);
}

size_t CsvTable::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) {
    check(std::find(found + 1, names_.end(), name) == names_.end(),
          "{}: column '{}' is there twice; which one is meant?", path_, shown(name));
    return static_cast<size_t>(found - names_.begin());
  }
  const std::string near = nearest(name, names_);
  fail("{}: there is no column '{}'{}; there are: {}", path_, shown(name),
       near.empty() ? "" : fmt::format(", did you mean '{}'", shown(near)), joined(names_));
}

Tensor CsvTable::numbers(const std::vector<std::string>& names) const {
  const auto width = static_cast<int64_t>(names.size());
  Tensor result = Tensor::empty({rows(), width}, DType::f64);
  for (int64_t c = 0; c < width; ++c) {
    const size_t index = column(names[c]);
    for (int64_t row = 0; row < rows(); ++row) {
      const std::string& text = cell(row, index);
      const std::optional<double> value = number_in(text);
      check(value && std::isfinite(*value), "{}: line {}, column '{}': '{}' is not a finite number",
            path_, lines_[row], shown(names[c]), shown(text));
      result.data<double>()[row * width + c] = *value;
    }
  }
  return result;
}

bool CsvTable::is_numeric(size_t column) const {
  const auto count = std::count_if(cells_.begin(), cells_.end(), [&](const auto& row) {
    return number_in(row[column]).has_value();
  });
  return 2 * count >= rows();
}

Encoding encoding_of(const std::string& name) {
  return name == "latin1" ? Encoding::latin1 : Encoding::utf8;
}

std::vector<std::string> name_list(const std::string& option, const std::string& text) {
  std::vector<std::string> names;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view name = trimmed(next_piece(rest, ','), kCellBlanks);
    if (name.empty()) wrong_usage(fmt::format("{}: '{}' has an empty name in it", option, text));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      wrong_usage(fmt::format("{}: '{}' is there twice", option, name));
    }
    names.emplace_back(name);
  }
  if (names.empty()) wrong_usage(fmt::format("{} needs the name of a column", option));
  return names;
}

void write_csv_table(const std::string& path, const std::vector<std::string>& names,
                     const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + field(cells[i]);
    text += '\n';
  };
  add(names);
  for (const std::vector<std::string>& row : rows) add(row);
  write_file(path, text);
}

}  // namespace heed::cli
