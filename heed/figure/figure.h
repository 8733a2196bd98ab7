// Pictures: lines, points and heat maps, as SVG or as text for a terminal.
//
//   Figure fit({.title = "A fit", .x_label = "x", .y_label = "y"});
//   fit.line(x, f, {.label = "prediction"});
//   fit.scatter(x_seen, y_seen, {.label = "data"});
//   std::string page = fit.svg();
//   std::string text = fit.terminal({.width = 100});
//
//   Figure map({.title = "Weights", .x_label = "key", .y_label = "query"});
//   map.heat_map(weights, {.low = 0});
//
//   FigureGrid both({.columns = 2});
//   both.add(fit).add(map);
//   std::string side_by_side = both.svg();
//
// A figure holds any number of lines and points, or one heat map. A number that is not finite is a
// gap: lines break there, points are left out, cells are gray. Colors: the series take those of
// Okabe and Ito (2008), heat maps viridis; both can be told apart by color-blind readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct FigureOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
};

enum class LineStyle : uint8_t { solid, dashed, dotted };

struct SeriesOptions {
  std::string label = {};  // in the legend; empty: not there
  LineStyle style = LineStyle::solid;
  int color = -1;  // index of a color; -1: the next one
};

struct HeatMapOptions {
  std::vector<std::string> row_labels = {};     // one per row, or none: numbers
  std::vector<std::string> column_labels = {};  // one per column, or none: numbers
  std::optional<double> low = {};   // value of the darkest color; the smallest if not given
  std::optional<double> high = {};  // value of the brightest color; the largest if not given
  bool values = false;              // writes the numbers into the cells where they fit
};

struct SvgOptions {
  double width = 480;  // of one figure, in pixels
  double height = 360;
};

struct TerminalOptions {
  int width = 80;      // columns in all
  int height = 18;     // lines of the picture itself, without labels and legend
  bool color = false;  // ANSI escapes with 256 colors; otherwise shades and dashes
};

class HEED_API Figure {
 public:
  struct Series {
    bool is_line = true;
    std::vector<double> x;
    std::vector<double> y;
    SeriesOptions options;
  };
  struct HeatMap {
    int64_t rows = 0;
    int64_t columns = 0;
    std::vector<double> cells;  // [rows, columns]
    HeatMapOptions options;
  };

  explicit Figure(FigureOptions options = {}) : options_(std::move(options)) {}

  // x and y of the same length; x [n] or [n, 1], of any type.
  Figure& line(const Tensor& x, const Tensor& y, const SeriesOptions& options = {});
  Figure& scatter(const Tensor& x, const Tensor& y, const SeriesOptions& options = {});
  // A matrix; row 0 is drawn on top.
  Figure& heat_map(const Tensor& matrix, const HeatMapOptions& options = {});

  std::string svg(const SvgOptions& options = {}) const;
  std::string terminal(const TerminalOptions& options = {}) const;

  const FigureOptions& options() const { return options_; }
  const std::vector<Series>& series() const { return series_; }
  const std::optional<HeatMap>& map() const { return map_; }

 private:
  Figure& add_series(bool is_line, const Tensor& x, const Tensor& y, const SeriesOptions& options);

  FigureOptions options_;
  std::vector<Series> series_;
  std::optional<HeatMap> map_;
};

struct FigureGridOptions {
  std::string title = {};
  int columns = 2;
};

// Figures side by side.
class HEED_API FigureGrid {
 public:
  explicit FigureGrid(FigureGridOptions options = {}) : options_(std::move(options)) {}

  FigureGrid& add(Figure figure);
  std::string svg(const SvgOptions& each = {}) const;

 private:
  FigureGridOptions options_;
  std::vector<Figure> figures_;
};

}  // namespace heed
