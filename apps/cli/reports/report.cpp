#include "apps/cli/reports/report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>
#include <nlohmann/json.hpp>

#include "apps/message.h"
#include "heed/io/array.h"

namespace heed::cli {
namespace {

constexpr int kDecimals = 4;

// All numbers of a table look alike: whole, with a fixed number of decimals, or with an exponent.
enum class Look : unsigned char { whole, fixed, general };

Look look_of(const Tensor& numbers) {
  const double* value = numbers.data<double>();
  double largest = 0;
  double smallest = INFINITY;
  bool is_whole = true;
  for (int64_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(value[i])) continue;
    const double size = std::abs(value[i]);
    is_whole = is_whole && value[i] == std::round(value[i]);
    largest = std::max(largest, size);
    if (size > 0) smallest = std::min(smallest, size);
  }
  if (is_whole && largest < 1e9) return Look::whole;
  // Small ones beside larger ones are shown as 0.0000; only where all are small they need digits.
  return largest < 1e6 && (largest >= 0.01 || smallest >= 0.001) ? Look::fixed : Look::general;
}

std::string number_text(double value, Look look) {
  if (!std::isfinite(value) || look == Look::whole) return fmt::format("{}", value);
  if (look == Look::fixed) return fmt::format("{:.{}f}", value, kDecimals);
  return fmt::format("{:.{}g}", value, kDecimals);
}

int columns_from_environment() {
  const char* text = std::getenv("COLUMNS");
  return text == nullptr ? 0 : std::atoi(text);
}

nlohmann::ordered_json nested(const Tensor& tensor, int axis, int64_t& at) {
  if (axis == tensor.rank()) {
    const int64_t i = at++;
    switch (tensor.dtype()) {
      case DType::f32: {
        // The shortest digits that give this float, not those of the double it becomes.
        const float value = tensor.data<float>()[i];
        if (!std::isfinite(value)) return nullptr;
        const std::string digits = fmt::format("{}", value);
        double result = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), result);
        return result;
      }
      case DType::f64: {
        const double value = tensor.data<double>()[i];
        return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
      }
      default: return tensor.to(DType::i64).data<int64_t>()[i];
    }
  }
  auto list = nlohmann::ordered_json::array();
  for (int64_t i = 0; i < tensor.dim(axis); ++i) list.push_back(nested(tensor, axis + 1, at));
  return list;
}

}  // namespace

TerminalOptions stdout_terminal() {
  TerminalOptions options;
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  options.color = is_terminal && (no_color == nullptr || *no_color == '\0') && !is_dumb;
  struct winsize size {};
  int width = columns_from_environment();
  if (width <= 0 && is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    width = size.ws_col;
  }
  if (width > 0) options.width = std::clamp(width, 20, 160);
  return options;
}

std::string table(const Tensor& matrix, const TableOptions& options) {
  const int64_t rows = std::min(matrix.dim(0), options.rows);
  const Tensor shown = matrix.slice(0, 0, rows).to(DType::f64).contiguous();
  const Look look = look_of(shown);
  std::vector<std::string> cells;
  size_t width = std::to_string(std::max<int64_t>(matrix.dim(1) - 1, 0)).size();
  for (int64_t i = 0; i < shown.size(); ++i) {
    cells.push_back(number_text(shown.data<double>()[i], look));
    width = std::max(width, cells.back().size());
  }
  const std::string& name = options.row_name;
  const size_t label = name.size() + 1 + std::to_string(std::max<int64_t>(rows - 1, 0)).size();
  const size_t room = static_cast<size_t>(options.width) > label + width + 2
                          ? (static_cast<size_t>(options.width) - label) / (width + 2)
                          : 1;
  const int64_t columns = std::min(matrix.dim(1), static_cast<int64_t>(room));

  std::string text(label, ' ');
  for (int64_t column = 0; column < columns; ++column) {
    text += fmt::format("  {:>{}}", column, width);
  }
  text += '\n';
  for (int64_t row = 0; row < rows; ++row) {
    text += fmt::format("{} {:>{}}", name, row, label - name.size() - 1);
    for (int64_t column = 0; column < columns; ++column) {
      text += fmt::format("  {:>{}}", cells[row * matrix.dim(1) + column], width);
    }
    text += '\n';
  }
  const int64_t more_rows = matrix.dim(0) - rows;
  const int64_t more_columns = matrix.dim(1) - columns;
  if (more_rows > 0 || more_columns > 0) {
    text += fmt::format("{:{}}  not shown: {} of {} rows, {} of {} columns\n", "", label, more_rows,
                        matrix.dim(0), more_columns, matrix.dim(1));
  }
  return text;
}

nlohmann::ordered_json to_json(const Tensor& tensor) {
  int64_t at = 0;
  return nested(tensor.contiguous(), 0, at);
}

void save_and_tell(const std::string& path, const Tensor& tensor) {
  save_array(path, tensor);
  say("wrote {}: {}\n", path, tensor.text());
}

}  // namespace heed::cli
