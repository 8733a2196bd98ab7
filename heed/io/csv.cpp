#include "heed/io/csv.h"

#include <utility>
#include <vector>

#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/io/atomic_file.h"
#include "heed/io/number.h"

namespace heed {
namespace {

// A cell may stand in quotes.
std::optional<double> number_in_cell(std::string_view cell) {
  cell = trimmed(cell, kCellBlanks);
  const bool is_quoted = cell.size() > 2 && cell.front() == '"' && cell.back() == '"';
  return number_in(is_quoted ? cell.substr(1, cell.size() - 2) : cell);
}

bool is_header(std::string_view line) {
  while (!line.empty()) {
    if (number_in_cell(next_piece(line, ','))) return false;
  }
  return true;
}

}  // namespace

Tensor parse_csv(std::string_view text, const std::string& name, DType type) {
  check(is_real(type), "csv: a table is float32 or float64, not {}", heed::name(type));
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::vector<double> values;
  int64_t rows = 0;
  int64_t columns = 0;
  for (int64_t number = 1; !is_blank(text); ++number) {
    std::string_view line = next_piece(text, '\n');
    if (number == 1 && is_header(line)) {
      check(!is_blank(line), "{}: line 1 is blank", name);
      continue;
    }
    int64_t column = 0;
    for (bool more = true; more;) {
      more = line.find(',') != std::string_view::npos;
      const std::string_view cell = next_piece(line, ',');
      ++column;
      const std::optional<double> value = number_in_cell(cell);
      check(value.has_value(), "{}: line {}, column {}: '{}' is not a number", name, number, column,
            shown(cell));
      const std::string_view fault = range_fault(cell, *value, type);
      check(fault.empty(), "{}: line {}, column {}: {} {}", name, number, column, shown(cell),
            fault);
      values.push_back(*value);
    }
    if (rows == 0) columns = column;
    check(column == columns, "{}: line {} has {} columns, the lines before have {}", name, number,
          column, columns);
    ++rows;
  }
  check(rows > 0, "{}: there are no numbers in it (columns are separated by commas)", name);
  return Tensor::from(values, {rows, columns}).to(type);
}

Tensor load_csv(const std::string& path, DType type) {
  const auto file = Storage::map_file(path);
  const std::byte* bytes = std::as_const(*file).data();
  return parse_csv({reinterpret_cast<const char*>(bytes), file->bytes()}, path, type);
}

void save_csv(const std::string& path, const Tensor& table) {
  check(table.rank() == 1 || table.rank() == 2,
        "{}: a .csv file holds a matrix, not {}; write a .npy file instead", path, table);
  const int64_t rows = table.dim(0);
  const int64_t columns = table.rank() == 2 ? table.dim(1) : 1;
  const bool is_single = table.dtype() == DType::f32;
  const Tensor numbers = table.to(DType::f64).contiguous();
  const double* value = numbers.data<double>();
  fmt::memory_buffer text;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column, ++value) {
      if (column > 0) text.push_back(',');
      if (is_single) {
        fmt::format_to(std::back_inserter(text), "{}", static_cast<float>(*value));
      } else {
        fmt::format_to(std::back_inserter(text), "{}", *value);
      }
    }
    text.push_back('\n');
  }
  write_file(path, {text.data(), text.size()});
}

}  // namespace heed
