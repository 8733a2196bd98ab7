// Pictures: lines, points, bands, bars and heat maps, as SVG or as text for a terminal.
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
//   Figure costs({.title = "Costs", .x_label = "multiply-adds"});
//   costs.bars({"attention", "convolution"}, counts);
//
//   FigureGrid both({.columns = 2});
//   both.add(fit).add(map);
//   std::string side_by_side = both.svg();
//
// A figure holds any number of lines, points and bands, or bars, or one heat map. A number that is
// not finite is a gap: lines break there, points and bars are left out, cells are gray; so is one
// that is not positive on a logarithmic axis. Colors: the series take those of Okabe and Ito
// (2008), heat maps viridis; both can be told apart by color-blind readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct AxisRange {
  double low = 0;
  double high = 1;
};

struct FigureOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_x = false;  // powers of ten at equal distances; for bars, log_x is the axis of values
  bool log_y = false;
  std::optional<AxisRange> x_range = {};  // of lines and points; what the data needs if not given
  std::optional<AxisRange> y_range = {};
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
    std::vector<double> low;  // of a band, whose upper edge is y; otherwise empty
  };
  struct Bars {
    std::vector<std::string> labels;  // one per bar
    std::vector<std::vector<double>> values;
    std::vector<SeriesOptions> options;  // one per series
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
  // The area between two lines.
  Figure& band(const Tensor& x, const Tensor& low, const Tensor& high,
               const SeriesOptions& options = {});
  // Horizontal bars from 0, one per label; a second call with the same labels puts a second bar
  // beside each.
  Figure& bars(const std::vector<std::string>& labels, const Tensor& values,
               const SeriesOptions& options = {});
  // A matrix; row 0 is drawn on top.
  Figure& heat_map(const Tensor& matrix, const HeatMapOptions& options = {});

  std::string svg(const SvgOptions& options = {}) const;
  std::string terminal(const TerminalOptions& options = {}) const;

  const FigureOptions& options() const { return options_; }
  const std::vector<Series>& series() const { return series_; }
  const std::optional<HeatMap>& map() const { return map_; }
  const std::optional<Bars>& bars() const { return bars_; }
  Figure& set_ranges(const AxisRange& x, const AxisRange& y);

 private:
  Figure& add_series(bool is_line, const Tensor& x, const Tensor& y, const SeriesOptions& options);

  FigureOptions options_;
  std::vector<Series> series_;
  std::optional<Bars> bars_;
  std::optional<HeatMap> map_;
};

struct FigureGridOptions {
  std::string title = {};
  int columns = 2;
  bool same_axes = false;  // small multiples: all lines and points on the same two axes
};

// Figures side by side; in a terminal too, where it is wide enough for two. Heat maps below each
// other begin and end at the same places.
class HEED_API FigureGrid {
 public:
  explicit FigureGrid(FigureGridOptions options = {}) : options_(std::move(options)) {}

  FigureGrid& add(Figure figure);
  std::string svg(const SvgOptions& each = {}) const;
  std::string terminal(const TerminalOptions& each = {}) const;

 private:
  std::vector<Figure> panels() const;

  FigureGridOptions options_;
  std::vector<Figure> figures_;
};

}  // namespace heed
