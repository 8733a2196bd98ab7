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

#include <string>
#include <utility>
#include <vector>

#include "heed/base/export.h"
#include "heed/figure/drawing.h"
#include "heed/tensor/tensor.h"

namespace heed {

class HEED_API Figure {
 public:
  explicit Figure(FigureOptions options = {}) : drawing_{.options = std::move(options)} {}

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

  const Drawing& drawing() const { return drawing_; }
  Figure& set_ranges(const AxisRange& x, const AxisRange& y);

 private:
  Figure& add_series(bool is_line, const Tensor& x, const Tensor& y, const SeriesOptions& options);

  Drawing drawing_;
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
