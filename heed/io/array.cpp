#include "heed/io/array.h"

#include <vector>

#include "heed/base/fail.h"
#include "heed/io/csv.h"
#include "heed/io/npy.h"
#include "heed/io/number.h"

namespace heed {
namespace {

constexpr size_t kShown = 60;  // characters of what was typed, in a message

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

bool starts_with_number(std::string_view text) {
  return number_in(text.substr(0, text.find_first_of(",;"))).has_value();
}

}  // namespace

Tensor parse_array(std::string_view text, DType type) {
  check(is_real(type), "array: typed numbers are float32 or float64, not {}", name(type));
  check(text.size() < (size_t{1} << 24), "array: typed numbers are too long; use a file");
  std::vector<double> values;
  int64_t rows = 0;
  int64_t columns = 0;
  std::string_view rest = text;
  for (bool more_rows = true; more_rows;) {
    more_rows = rest.find(';') != std::string_view::npos;
    std::string_view row = next_piece(rest, ';');
    ++rows;
    int64_t column = 0;
    for (bool more = true; more;) {
      more = row.find(',') != std::string_view::npos;
      const std::string_view cell = next_piece(row, ',');
      ++column;
      const std::optional<double> value = number_in(cell);
      check(value.has_value(), "'{}': '{}' in row {}, column {} is not a number",
            shown(text, kShown), shown(cell), rows, column);
      const std::string_view fault = range_fault(cell, *value, type);
      check(fault.empty(), "'{}': {} in row {}, column {} {}", shown(text, kShown), shown(cell),
            rows, column, fault);
      values.push_back(*value);
    }
    if (rows == 1) columns = column;
    check(column == columns, "'{}': row {} has {} numbers, row 1 has {}", shown(text, kShown), rows,
          column, columns);
  }
  return Tensor::from(values, {rows, columns}).to(type);
}

Tensor load_array(const std::string& text_or_path, DType text_type) {
  if (is_npy_path(text_or_path)) return load_npy(text_or_path);
  if (ends_with(text_or_path, ".csv")) return load_csv(text_or_path, text_type);
  check(starts_with_number(text_or_path),
        "'{}' is neither a .npy or .csv file nor typed numbers such as '1,0;0,1'",
        shown(text_or_path, kShown));
  return parse_array(text_or_path, text_type);
}

bool is_npy_path(std::string_view text_or_path) { return ends_with(text_or_path, ".npy"); }

void save_array(const std::string& path, const Tensor& tensor) {
  if (is_npy_path(path)) return save_npy(path, tensor);
  check(ends_with(path, ".csv"), "{}: the name of an array file ends in .npy or .csv", path);
  save_csv(path, tensor);
}

}  // namespace heed
