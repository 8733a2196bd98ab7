// Lines and points as SVG: title, legend, then the plot area with its axes around it.

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/figure/axis_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/svg_internal.h"

namespace heed {
namespace {

constexpr double kPlotMargin = 0.04;  // free space around the data, in parts of the range
constexpr double kLineWidth = 2;
constexpr double kRadius = 3;
constexpr double kBandOpacity = 0.22;
const char* const kGridColor = "#e3e3e3";
const char* const kAxisColor = "#777777";

Color color_of_series(const Drawing& drawing, size_t index) {
  const int wanted = drawing.series[index].options.color;
  return series_color(wanted >= 0 ? wanted : static_cast<int>(index));
}

// Rows of samples and labels above the plot, where they never cover data.
Box draw_series_legend(const Drawing& drawing, Box box, SvgWriter& svg) {
  constexpr double kRowHeight = 17;
  double x = box.x;
  double y = box.y;
  bool any = false;
  for (size_t i = 0; i < drawing.series.size(); ++i) {
    const Drawing::Series& series = drawing.series[i];
    if (series.options.label.empty()) continue;
    const double sample = series.is_line ? 22 : 2 * kRadius;
    const std::string label = fit_pixels(series.options.label, kTickSize, box.width - sample - 6);
    const double width = sample + 6 + pixels_of(label, kTickSize) + 12;
    if (any && x + width > box.right() + 12) {
      x = box.x;
      y += kRowHeight;
    }
    any = true;
    const std::string color = color_of_series(drawing, i).hex();
    const double middle = y + 7;
    if (!series.low.empty()) {
      svg.area({x, middle - 5, sample, 10}, color, kBandOpacity);
    } else if (series.is_line) {
      svg.line({x, middle}, {x + sample, middle}, {color, kLineWidth, series.options.style});
    } else {
      svg.circle({x + sample / 2, middle}, kRadius, color, 0.75);
    }
    svg.text({x + sample + 6, middle + 4}, label, {.size = kTickSize});
    x += width;
  }
  if (!any) return box;
  const double used = y + kRowHeight + 4 - box.y;
  return {box.x, box.y + used, box.width, box.height - used};
}

void draw_axes(const Drawing& drawing, const Box& area, const Box& outer, const Axis& x_axis,
               const Axis& y_axis, SvgWriter& svg) {
  for (const Tick& tick : x_axis.ticks) {
    const double x = area.x + x_axis.place(tick.value) * area.width;
    svg.line({x, area.y}, {x, area.bottom()}, {kGridColor});
    svg.line({x, area.bottom()}, {x, area.bottom() + 4}, {kAxisColor});
    svg.text({x, area.bottom() + 6 + kTickSize}, tick.label,
             {.size = kTickSize, .anchor = "middle"});
  }
  for (const Tick& tick : y_axis.ticks) {
    const double y = area.bottom() - y_axis.place(tick.value) * area.height;
    svg.line({area.x, y}, {area.right(), y}, {kGridColor});
    svg.line({area.x - 4, y}, {area.x, y}, {kAxisColor});
    svg.text({area.x - 7, y + kTickSize * 0.36}, tick.label, {.size = kTickSize, .anchor = "end"});
  }
  svg.frame(area, kAxisColor);
  draw_axis_names(drawing.options, area, outer, svg);
}

void draw_line(const std::vector<Point>& run, const StrokeStyle& style, SvgWriter& svg) {
  if (run.size() == 1) svg.circle(run[0], kLineWidth, style.color);  // between two gaps
  if (run.size() > 1) svg.polyline(run, style);
}

// Runs of neighbors that all have a place: the upper edge there, the lower edge back.
void draw_svg_band(const Drawing::Series& series, const std::vector<Point>& high,
                   const std::vector<Point>& low, const std::string& color, SvgWriter& svg) {
  std::vector<Point> run;
  std::vector<Point> back;
  const auto finish = [&] {
    if (run.size() > 1) {
      run.insert(run.end(), back.rbegin(), back.rend());
      svg.polygon(run, color, kBandOpacity);
    }
    run.clear();
    back.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(high[i].x + high[i].y + low[i].y)) {
      finish();
      continue;
    }
    run.push_back(high[i]);
    back.push_back(low[i]);
  }
  finish();
}

}  // namespace

void draw_svg_plot(const Drawing& drawing, const Box& box, SvgWriter& svg) {
  const Box outer = draw_series_legend(drawing, draw_title(drawing, box, svg), svg);
  const FigureOptions& options = drawing.options;
  const int y_ticks = std::max(2, static_cast<int>(outer.height / 45));
  double labels = 0;
  for (const Tick& tick : plot_axes(drawing, 2, y_ticks, kPlotMargin, kPlotMargin).y.ticks) {
    labels = std::max(labels, pixels_of(tick.label, kTickSize));
  }
  const double left = labels + 9 + (options.y_label.empty() ? 0 : kLabelSize + 8);
  const double bottom = kTickSize + 8 + (options.x_label.empty() ? 0 : kLabelSize + 8);
  const Box area{outer.x + left, outer.y, outer.width - left - 4, outer.height - bottom};
  const int x_ticks = std::max(2, static_cast<int>(area.width / 50));
  const PlotAxes axes = plot_axes(drawing, x_ticks, y_ticks, kPlotMargin, kPlotMargin);
  draw_axes(drawing, area, outer, axes.x, axes.y, svg);

  const auto place = [&](double x, double y) -> Point {
    if (!has_place(x, options.log_x) || !has_place(y, options.log_y)) return {NAN, NAN};
    return {area.x + axes.x.place(x) * area.width, area.bottom() - axes.y.place(y) * area.height};
  };
  for (size_t i = 0; i < drawing.series.size(); ++i) {
    const Drawing::Series& series = drawing.series[i];
    const StrokeStyle style{color_of_series(drawing, i).hex(), kLineWidth, series.options.style};
    std::vector<Point> points;
    for (size_t j = 0; j < series.x.size(); ++j) {
      points.push_back(place(series.x[j], series.y[j]));
    }
    if (!series.low.empty()) {
      std::vector<Point> low;
      for (size_t j = 0; j < series.x.size(); ++j) {
        low.push_back(place(series.x[j], series.low[j]));
      }
      draw_svg_band(series, points, low, style.color, svg);
      continue;
    }
    std::vector<Point> run;
    for (const Point& at : points) {
      if (!std::isfinite(at.x)) {
        if (series.is_line) draw_line(run, style, svg);
        run.clear();
      } else if (series.is_line) {
        run.push_back(at);
      } else {
        svg.circle(at, kRadius, style.color, 0.75);
      }
    }
    if (series.is_line) draw_line(run, style, svg);
  }
}

}  // namespace heed
