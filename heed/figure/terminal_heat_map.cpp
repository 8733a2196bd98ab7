// Heat maps in the terminal: a cell is a colored or shaded block of two or more columns.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/figure/color_internal.h"
#include "heed/figure/heat_map_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/terminal_internal.h"

namespace heed {
namespace {

constexpr std::array<const char*, 5> kCellShades{" ", "░", "▒", "▓", "█"};
constexpr int kWidestCell = 8;
constexpr int kWidestLabel = 20;

std::string repeated(const char* text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// `place` in [0, 1] or NaN.
std::string block(double place, int width, bool color) {
  if (color) {
    return background(heat_color(place).terminal(), true) +
           std::string(static_cast<size_t>(width), ' ') + color_end(true);
  }
  if (std::isnan(place)) return repeated("?", width);
  const double level = std::clamp(place, 0.0, 1.0) * (kCellShades.size() - 1);
  return repeated(kCellShades[static_cast<size_t>(std::lround(level))], width);
}

bool looks_same(double a, double b) {
  return heat_color(a).terminal() == heat_color(b).terminal() &&
         block(a, 1, false) == block(b, 1, false);
}

int widest_columns(const std::vector<std::string>& labels, int64_t cells, int64_t step) {
  int result = 0;
  for (int64_t i = 0; i < cells; ++i) {
    result = std::max(result, columns_of(cell_label(labels, i, step)));
  }
  return result;
}

// One line with the labels of the columns; every n-th where they are too wide for their cells.
std::string column_labels(const Drawing::HeatMap& map, const HeatCells& cells, int cell) {
  const int label = std::min(
      widest_columns(map.options.column_labels, cells.columns, cells.column_step), kWidestLabel);
  const int64_t every = nice_interval(static_cast<double>(label + (cell > label ? 0 : 1)) / cell);
  std::string line;
  for (int64_t column = 0; column < cells.columns; column += every) {
    const auto room = static_cast<int>(std::min(every, cells.columns - column) * cell);
    const std::string text = cell_label(map.options.column_labels, column, cells.column_step);
    const bool fits = columns_of(text) <= std::max(room, cell);
    line += every == 1 ? pad(text, cell, Align::center) : pad(fits ? text : "", room, Align::left);
  }
  return line;
}

std::string color_scale(const HeatCells& cells, bool color) {
  constexpr int kSteps = 20;
  std::string scale = fmt::format("{:.3g} ", cells.range.low);
  if (color) {
    for (int i = 0; i < kSteps; ++i) scale += block((i + 0.5) / kSteps, 1, true);
  } else {
    for (const char* shade : kCellShades) scale += repeated(shade, 2);
  }
  return scale + fmt::format(" {:.3g}", cells.range.high);
}

}  // namespace

std::string terminal_heat_map(const Drawing& drawing, const TerminalOptions& options) {
  const Drawing::HeatMap& map = *drawing.map;
  const FigureOptions& texts = drawing.options;
  std::string result;
  if (!texts.title.empty()) result += line_of(fit_columns(texts.title, options.width));
  if (map.rows == 0 || map.columns == 0) return result + "(no cells)\n";

  const int label = std::min({widest_columns(map.options.row_labels, map.rows, 1), kWidestLabel,
                              std::max(1, options.width / 3)});
  const int margin = label + 1;
  const int room = std::max(1, options.width - margin);
  const HeatCells cells = heat_cells(map, options.height, room);
  const int wanted =
      std::max(2, 1 + widest_columns(map.options.column_labels, cells.columns, cells.column_step));
  const int fitting = room / static_cast<int>(cells.columns);
  const int cell = std::max(1, std::min({wanted, fitting, kWidestCell}));

  const std::string indent(static_cast<size_t>(margin), ' ');
  if (!texts.x_label.empty()) {
    result += line_of(indent + fit_columns(texts.x_label, room));
  }
  result += line_of(indent + column_labels(map, cells, cell));
  for (int64_t row = 0; row < cells.rows; ++row) {
    const std::string text = cell_label(map.options.row_labels, row, cells.row_step);
    std::string line = pad(text, label, Align::right) + " ";
    for (int64_t column = 0; column < cells.columns;) {
      // Neighbors of one color share their escapes.
      const double place = cells.place(row, column);
      int width = 0;
      do {
        width += cell;
      } while (++column < cells.columns && looks_same(cells.place(row, column), place));
      line += block(place, width, options.color);
    }
    result += options.color ? line + "\n" : line_of(line);
  }
  result += indent + color_scale(cells, options.color) + "\n";
  if (cells.is_reduced()) result += line_of(indent + fit_columns(cells.reduction(), room));
  return result;
}

std::string foreground(int color, bool enabled) {
  return enabled ? fmt::format("\x1b[38;5;{}m", color) : "";
}

std::string background(int color, bool enabled) {
  return enabled ? fmt::format("\x1b[48;5;{}m", color) : "";
}

std::string color_end(bool enabled) { return enabled ? "\x1b[0m" : ""; }

std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace heed
