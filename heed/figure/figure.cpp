#include "heed/figure/figure.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heed/base/fail.h"
#include "heed/figure/axis_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/svg_internal.h"
#include "heed/figure/terminal_internal.h"

namespace heed {
namespace {

constexpr double kLargest = 1e300;  // beyond it, the differences that axes are made of overflow

// The numbers of a tensor; those that cannot be drawn become NaN.
std::vector<double> drawable(const Tensor& tensor) {
  const Tensor numbers = tensor.to(DType::f64).contiguous();
  const double* value = numbers.data<double>();
  std::vector<double> result(value, value + numbers.size());
  for (double& x : result) {
    if (!(std::abs(x) <= kLargest)) x = NAN;
  }
  return result;
}

void require_vector(const Tensor& tensor, const char* what) {
  const bool is_vector =
      tensor.defined() && (tensor.rank() == 1 || (tensor.rank() == 2 && tensor.dim(1) == 1));
  check(is_vector, "figure: {} must be [n] or [n, 1], got {}", what, tensor);
}

void require_labels(const std::vector<std::string>& labels, int64_t count, const char* what) {
  check(labels.empty() || static_cast<int64_t>(labels.size()) == count,
        "figure: a heat map with {} {} got {} labels for them", count, what, labels.size());
}

// Heat maps below each other: their labels get the same width.
void align_row_labels(std::vector<Figure>& figures) {
  int widest = 0;
  for (const Figure& figure : figures) {
    if (!figure.drawing().map) return;
    for (const std::string& label : figure.drawing().map->options.row_labels) {
      widest = std::max(widest, columns_of(label));
    }
  }
  for (Figure& figure : figures) {
    Drawing::HeatMap map = *figure.drawing().map;
    for (std::string& label : map.options.row_labels) label = pad(label, widest, Align::right);
    Figure aligned(figure.drawing().options);
    aligned.heat_map(Tensor::from(map.cells, {map.rows, map.columns}), map.options);
    figure = aligned;
  }
}

// Joins texts line by line; each but the last is filled to this many columns.
std::string side_by_side(const std::vector<std::string>& texts, int columns) {
  std::vector<std::vector<std::string>> lines;
  size_t height = 0;
  for (const std::string& text : texts) {
    std::istringstream stream(text);
    lines.emplace_back();
    for (std::string line; std::getline(stream, line);) lines.back().push_back(line);
    height = std::max(height, lines.back().size());
  }
  std::string result;
  for (size_t row = 0; row < height; ++row) {
    std::string line;
    int used = 0;  // columns
    for (size_t i = 0; i < lines.size(); ++i) {
      if (row >= lines[i].size()) continue;
      const int begin = static_cast<int>(i) * columns;
      line += std::string(static_cast<size_t>(std::max(0, begin - used)), ' ') + lines[i][row];
      used = begin + shown_columns(lines[i][row]);
    }
    result += line_of(line);
  }
  return result;
}

}  // namespace

Figure& Figure::add_series(bool is_line, const Tensor& x, const Tensor& y,
                           const SeriesOptions& options) {
  require_vector(x, "x");
  require_vector(y, "y");
  check(x.dim(0) == y.dim(0), "figure: x has {} numbers, y has {}", x.dim(0), y.dim(0));
  check(!drawing_.map && !drawing_.bars,
        "figure: a figure with a heat map or bars has no lines or points; use a second one");
  drawing_.series.push_back({is_line, drawable(x), drawable(y), options, {}});
  return *this;
}

Figure& Figure::line(const Tensor& x, const Tensor& y, const SeriesOptions& options) {
  return add_series(true, x, y, options);
}

Figure& Figure::scatter(const Tensor& x, const Tensor& y, const SeriesOptions& options) {
  return add_series(false, x, y, options);
}

Figure& Figure::band(const Tensor& x, const Tensor& low, const Tensor& high,
                     const SeriesOptions& options) {
  require_vector(low, "low");
  check(low.dim(0) == x.dim(0), "figure: x has {} numbers, low has {}", x.dim(0), low.dim(0));
  add_series(true, x, high, options);
  drawing_.series.back().low = drawable(low);
  return *this;
}

Figure& Figure::bars(const std::vector<std::string>& labels, const Tensor& values,
                     const SeriesOptions& options) {
  require_vector(values, "values");
  check(static_cast<int64_t>(labels.size()) == values.dim(0),
        "figure: {} labels for {} bars; one each is needed", labels.size(), values.dim(0));
  check(!drawing_.map && drawing_.series.empty(), "figure: bars stand alone; use a second figure");
  if (!drawing_.bars) drawing_.bars = Drawing::Bars{labels, {}, {}};
  check(drawing_.bars->labels == labels,
        "figure: the second bars have other labels than the first");
  drawing_.bars->values.push_back(drawable(values));
  drawing_.bars->options.push_back(options);
  return *this;
}

Figure& Figure::set_ranges(const AxisRange& x, const AxisRange& y) {
  drawing_.options.x_range = x;
  drawing_.options.y_range = y;
  return *this;
}

Figure& Figure::heat_map(const Tensor& matrix, const HeatMapOptions& options) {
  check(matrix.defined() && matrix.rank() == 2, "figure: a heat map shows a matrix, got {}",
        matrix);
  check(!drawing_.map && !drawing_.bars && drawing_.series.empty(),
        "figure: a heat map stands alone; use a second figure");
  require_labels(options.row_labels, matrix.dim(0), "rows");
  require_labels(options.column_labels, matrix.dim(1), "columns");
  for (const auto& limit : {options.low, options.high}) {
    check(!limit || std::abs(*limit) <= kLargest, "figure: a limit of a heat map must be finite");
  }
  drawing_.map = Drawing::HeatMap{matrix.dim(0), matrix.dim(1), drawable(matrix), options};
  return *this;
}

std::string Figure::svg(const SvgOptions& options) const {
  SvgWriter svg;
  draw_svg(drawing_, {0, 0, options.width, options.height}, svg);
  return svg.document(options.width, options.height);
}

std::string Figure::terminal(const TerminalOptions& options) const {
  check(options.width > 0 && options.height > 0, "figure: {} x {} is no size for a picture",
        options.width, options.height);
  if (drawing_.map) return terminal_heat_map(drawing_, options);
  return drawing_.bars ? terminal_bars(drawing_, options) : terminal_plot(drawing_, options);
}

FigureGrid& FigureGrid::add(Figure figure) {
  figures_.push_back(std::move(figure));
  return *this;
}

// With the same axes if that is wanted: the ranges of all lines and points together.
std::vector<Figure> FigureGrid::panels() const {
  std::vector<Figure> result = figures_;
  if (!options_.same_axes) return result;
  std::vector<double> x;
  std::vector<double> y;
  for (const Figure& figure : figures_) collect_points(figure.drawing(), x, y);
  const Range across = range_of(x);
  const Range up = range_of(y);
  for (Figure& figure : result) {
    if (!figure.drawing().map && !figure.drawing().bars) {
      figure.set_ranges({across.low, across.high}, {up.low, up.high});
    }
  }
  return result;
}

std::string FigureGrid::terminal(const TerminalOptions& each) const {
  constexpr int kMinPanel = 36, kBetween = 2;  // columns
  std::vector<Figure> figures = panels();
  const int count = static_cast<int>(figures.size());
  const int columns =
      std::clamp(each.width / kMinPanel, 1, std::max(1, std::min(options_.columns, count)));
  TerminalOptions panel = each;
  panel.width = (each.width - kBetween * (columns - 1)) / columns;
  if (columns == 1) align_row_labels(figures);
  std::string result = options_.title.empty() ? "" : fit_columns(options_.title, each.width) + "\n";
  for (int first = 0; first < count; first += columns) {
    std::vector<std::string> texts;
    for (int i = first; i < std::min(first + columns, count); ++i) {
      texts.push_back(figures[i].terminal(panel));
    }
    result += (result.empty() ? "" : "\n") + side_by_side(texts, panel.width + kBetween);
  }
  return result;
}

std::string FigureGrid::svg(const SvgOptions& each) const {
  check(options_.columns > 0, "figure: a grid needs at least one column");
  constexpr double kTitleHeight = 40;
  const double top = options_.title.empty() ? 0 : kTitleHeight;
  const std::vector<Figure> figures = panels();
  const int count = static_cast<int>(figures.size());
  const int columns = std::clamp(count, 1, options_.columns);
  const int rows = std::max(1, (count + columns - 1) / columns);
  SvgWriter svg;
  for (int i = 0; i < count; ++i) {
    const int row = i / columns;
    const Box box{i % columns * each.width, top + row * each.height, each.width, each.height};
    SideRoom sides;  // what the widest labels of this column of the grid need
    for (int other = i % columns; other < count; other += columns) {
      const Drawing& drawing = figures[other].drawing();
      if (!drawing.map) continue;
      const SideRoom own = heat_map_sides(drawing, box);
      sides = {std::max(sides.left, own.left), std::max(sides.right, own.right)};
    }
    draw_svg(figures[i].drawing(), box, svg, sides);
  }
  const double width = columns * each.width;
  if (!options_.title.empty()) {
    svg.text({width / 2, 27}, options_.title, {.size = 17, .anchor = "middle", .bold = true});
  }
  return svg.document(width, top + rows * each.height);
}

}  // namespace heed
