// Heat maps as SVG: the cells, their labels on the left and below, the color bar on the right.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/figure/heat_map_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/svg_internal.h"

namespace heed {
namespace {

constexpr double kBarWidth = 14;
constexpr int64_t kMaxCells =
    256;  // per axis: finer than the pixels of a panel, small enough a file

// How much room the labels may take, and how many cells apart they stand.
struct LabelPlan {
  double room = 0;
  int64_t every = 1;
  bool rotated = false;
};

double widest_pixels(const std::vector<std::string>& labels, int64_t cells, int64_t step) {
  double result = 0;
  for (int64_t i = 0; i < cells; ++i) {
    result = std::max(result, pixels_of(cell_label(labels, i, step), kTickSize));
  }
  return result;
}

LabelPlan plan_rows(const Drawing::HeatMap& map, const HeatCells& cells, double height,
                    double max) {
  LabelPlan plan;
  plan.room = std::min(widest_pixels(map.options.row_labels, cells.rows, cells.row_step), max);
  plan.every = nice_interval(static_cast<double>(cells.rows) * (kTickSize + 3) / height);
  return plan;
}

LabelPlan plan_columns(const Drawing::HeatMap& map, const HeatCells& cells, double width,
                       double max) {
  LabelPlan plan;
  const double label = widest_pixels(map.options.column_labels, cells.columns, cells.column_step);
  const double cell = width / static_cast<double>(std::max<int64_t>(cells.columns, 1));
  plan.rotated = !map.options.column_labels.empty() && label + 6 > cell;
  plan.room = plan.rotated ? std::min(label, max) : kTickSize;
  plan.every = nice_interval((plan.rotated ? kTickSize + 3 : label + 6) / cell);
  return plan;
}

// The same decimals in all cells, without zeros at the end; 0.00 is not quite 0.
std::string cell_number(double value, const Range& range) {
  const double largest = std::max({std::abs(range.low), std::abs(range.high), 1e-300});
  if (largest >= 1e5 || largest < 1e-2) return fmt::format("{:.2g}", value);
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(largest) - 1e-9)));
  std::string text = fmt::format("{:.{}f}", value, std::min(decimals, 3));
  const bool rounds_to_zero = value != 0 && text.find_first_of("123456789") == std::string::npos;
  if (rounds_to_zero || text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void draw_cells(const Drawing::HeatMap& map, const HeatCells& cells, const Box& area,
                SvgWriter& svg) {
  const double width = area.width / static_cast<double>(cells.columns);
  const double height = area.height / static_cast<double>(cells.rows);
  // Edges are whole pixels, so that neighbors share them exactly: viewers draw a gap otherwise.
  const auto edge = [](double begin, double step, int64_t n) {
    return std::round(begin + static_cast<double>(n) * step);
  };
  svg.begin_crisp();
  for (int64_t row = 0; row < cells.rows; ++row) {
    const double top = edge(area.y, height, row), bottom = edge(area.y, height, row + 1);
    for (int64_t column = 0; column < cells.columns;) {
      // Neighbors of one color are one rectangle.
      const std::string color = heat_color(cells.place(row, column)).hex();
      const int64_t begin = column;
      while (++column < cells.columns && heat_color(cells.place(row, column)).hex() == color) {
      }
      const double left = edge(area.x, width, begin), right = edge(area.x, width, column);
      svg.rectangle({left, top, right - left, bottom - top}, color);
    }
  }
  svg.end_group();
  if (!map.options.values || width < 30 || height < 15) return;
  for (int64_t row = 0; row < cells.rows; ++row) {
    for (int64_t column = 0; column < cells.columns; ++column) {
      const double value = cells.value(row, column);
      if (std::isnan(value)) continue;
      const bool is_bright = heat_color(cells.place(row, column)).brightness() > 0.5;
      svg.text({area.x + (static_cast<double>(column) + 0.5) * width,
                area.y + (static_cast<double>(row) + 0.5) * height + kTickSize * 0.36},
               fit_pixels(cell_number(value, cells.range), kTickSize, width),
               {.size = kTickSize, .anchor = "middle", .color = is_bright ? "#222222" : "#ffffff"});
    }
  }
}

void draw_labels(const Drawing::HeatMap& map, const HeatCells& cells, const Box& area,
                 const LabelPlan& rows, const LabelPlan& columns, SvgWriter& svg) {
  const double width = area.width / static_cast<double>(cells.columns);
  const double height = area.height / static_cast<double>(cells.rows);
  for (int64_t row = 0; row < cells.rows; row += rows.every) {
    const double y = area.y + (static_cast<double>(row) + 0.5) * height;
    const std::string label = cell_label(map.options.row_labels, row, cells.row_step);
    svg.text({area.x - 5, y + kTickSize * 0.36}, fit_pixels(label, kTickSize, rows.room + 1),
             {.size = kTickSize, .anchor = "end"});
  }
  for (int64_t column = 0; column < cells.columns; column += columns.every) {
    const double x = area.x + (static_cast<double>(column) + 0.5) * width;
    const std::string label = cell_label(map.options.column_labels, column, cells.column_step);
    if (columns.rotated) {
      svg.text({x + kTickSize * 0.36, area.bottom() + 6},
               fit_pixels(label, kTickSize, columns.room + 1),
               {.size = kTickSize, .anchor = "end", .rotated = true});
    } else {
      svg.text({x, area.bottom() + 4 + kTickSize}, label, {.size = kTickSize, .anchor = "middle"});
    }
  }
}

void draw_bar(const Axis& axis, const Box& bar, SvgWriter& svg) {
  constexpr int kSteps = 64;
  svg.begin_crisp();
  for (int i = 0; i < kSteps; ++i) {
    const double step = bar.height / kSteps;
    svg.rectangle({bar.x, bar.bottom() - (i + 1) * step, bar.width, step},
                  heat_color((i + 0.5) / kSteps).hex());
  }
  svg.end_group();
  svg.frame(bar, "#777777");
  for (const Tick& tick : axis.ticks) {
    const double y = bar.bottom() - axis.place(tick.value) * bar.height;
    svg.line({bar.right(), y}, {bar.right() + 3, y}, {"#777777"});
    svg.text({bar.right() + 6, y + kTickSize * 0.36}, tick.label, {.size = kTickSize});
  }
}

}  // namespace

SideRoom heat_map_sides(const Drawing& drawing, const Box& box) {
  const Drawing::HeatMap& map = *drawing.map;
  const HeatCells cells = heat_cells(map, kMaxCells, kMaxCells);
  double bar_labels = 0;
  if (cells.rows > 0 && cells.columns > 0) {
    for (const Tick& tick : make_axis(cells.range, 5).ticks) {
      bar_labels = std::max(bar_labels, pixels_of(tick.label, kTickSize));
    }
  }
  const double labels =
      std::min(widest_pixels(map.options.row_labels, cells.rows, cells.row_step), box.width * 0.3);
  const double y_label = drawing.options.y_label.empty() ? 0 : kLabelSize + 8;
  return {y_label + labels + 8, 12 + kBarWidth + 6 + bar_labels};
}

void draw_svg_heat_map(const Drawing& drawing, const Box& box, SvgWriter& svg,
                       const SideRoom& sides) {
  Box outer = draw_title(drawing, box, svg);
  const Drawing::HeatMap& map = *drawing.map;
  const FigureOptions& options = drawing.options;
  const HeatCells cells = heat_cells(map, kMaxCells, kMaxCells);
  if (cells.rows == 0 || cells.columns == 0) {
    svg.text({box.x + box.width / 2, box.y + box.height / 2}, "no cells",
             {.size = kLabelSize, .anchor = "middle"});
    return;
  }
  if (cells.is_reduced()) {
    svg.text({box.x + box.width / 2, outer.y + kTickSize - 5}, cells.reduction(),
             {.size = kTickSize, .anchor = "middle", .color = "#666666"});
    outer.y += kTickSize + 4;
    outer.height -= kTickSize + 4;
  }

  const Axis bar_axis = make_axis(cells.range, 5);
  const SideRoom own = heat_map_sides(drawing, outer);
  const double right = std::max(sides.right, own.right);
  const double x_label = options.x_label.empty() ? 0 : kLabelSize + 8;
  // The labels below depend on the width, those on the left on the height: the left ones first,
  // with the height that remains if the ones below are short.
  const LabelPlan rows =
      plan_rows(map, cells, outer.height - x_label - kTickSize - 8, outer.width * 0.3);
  const double left = std::max(sides.left, own.left);
  const LabelPlan columns =
      plan_columns(map, cells, outer.width - left - right, outer.height * 0.3);
  const Box area{outer.x + left, outer.y, outer.width - left - right,
                 outer.height - x_label - columns.room - 8};

  draw_cells(map, cells, area, svg);
  svg.frame(area, "#777777");
  draw_labels(map, cells, area, rows, columns, svg);
  draw_bar(bar_axis, {area.right() + 12, area.y, kBarWidth, area.height}, svg);
  draw_axis_names(options, area, outer, svg);
}

}  // namespace heed
