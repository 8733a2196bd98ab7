#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/figure/heat_map_internal.h"

namespace heed {

std::string HeatCells::reduction() const {
  return fmt::format("each cell: the largest of {} x {}", row_step, column_step);
}

HeatCells heat_cells(const Drawing::HeatMap& map, int64_t max_rows, int64_t max_columns) {
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  HeatCells cells;
  cells.row_step = std::max<int64_t>(1, up(map.rows, std::max<int64_t>(max_rows, 1)));
  cells.column_step = std::max<int64_t>(1, up(map.columns, std::max<int64_t>(max_columns, 1)));
  cells.rows = up(map.rows, cells.row_step);
  cells.columns = up(map.columns, cells.column_step);
  cells.values.assign(static_cast<size_t>(cells.rows * cells.columns), NAN);
  for (int64_t row = 0; row < map.rows; ++row) {
    for (int64_t column = 0; column < map.columns; ++column) {
      const double value = map.cells[row * map.columns + column];
      const int64_t cell = row / cells.row_step * cells.columns + column / cells.column_step;
      double& largest = cells.values[cell];
      if (std::isnan(largest) || value > largest) largest = value;
    }
  }
  // The colors mean the same whether or not cells were merged.
  cells.range = limits_of(map.cells);
  if (map.options.low) cells.range.low = *map.options.low;
  if (map.options.high) cells.range.high = *map.options.high;
  const double min = std::max(1e-12 * std::abs(cells.range.low), 1e-300);
  if (!(cells.range.high - cells.range.low > min)) {
    cells.range.high = cells.range.low + std::max(1.0, std::abs(cells.range.low));
  }
  return cells;
}

std::string cell_label(const std::vector<std::string>& labels, int64_t cell, int64_t step) {
  const int64_t index = cell * step;
  return labels.empty() ? std::to_string(index) : labels[index];
}

}  // namespace heed
