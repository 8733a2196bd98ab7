// What heat maps in SVG and in the terminal share: colors, and fewer cells than numbers.
#pragma once

#include <string>
#include <vector>

#include "heed/figure/axis_internal.h"
#include "heed/figure/drawing.h"

namespace heed {

// A heat map with at most this many rows and columns. Where it had more, each cell shows the
// largest of a block: one strong weight in a long row must stay visible, which a mean would hide.
struct HeatCells {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_step = 1;     // rows of the matrix in one cell
  int64_t column_step = 1;  // columns of the matrix in one cell
  std::vector<double> values;
  Range range;  // what the colors stand for

  double value(int64_t row, int64_t column) const { return values[row * columns + column]; }
  double place(int64_t row, int64_t column) const {
    return (value(row, column) - range.low) / (range.high - range.low);
  }
  bool is_reduced() const { return row_step > 1 || column_step > 1; }
  std::string reduction() const;  // "each cell: the largest of 2 x 4"
};

HeatCells heat_cells(const Drawing::HeatMap& map, int64_t max_rows, int64_t max_columns);

// The label of a cell: of its first row or column.
std::string cell_label(const std::vector<std::string>& labels, int64_t cell, int64_t step);

}  // namespace heed
