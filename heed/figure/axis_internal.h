// One axis of a plot: its range and where the ticks are.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/figure/drawing.h"

namespace heed {

struct Range {
  double low = 0;
  double high = 1;
};

// The smallest and the largest of the finite values; 0 and 1 if there is none.
Range limits_of(std::span<const double> values);

// The same, widened where the two are too close to divide what is between them.
Range range_of(std::span<const double> values);

struct Tick {
  double value;
  std::string label;
};

struct Axis {
  Range range;  // of a logarithmic axis: of the logarithms to base 10
  std::vector<Tick> ticks;
  bool is_log = false;

  // 0 at the low end, 1 at the high end.
  double place(double value) const {
    return ((is_log ? std::log10(value) : value) - range.low) / (range.high - range.low);
  }
};

// Ticks at multiples of 1, 2 or 5 times a power of ten, about `count` of them. `margin` is the part
// of the range that is added at both ends. Of an axis of whole numbers, ticks are whole.
Axis make_axis(const Range& range, int count, double margin = 0, bool is_whole = false);

// The same for positive numbers: ticks at powers of ten, or at 1, 2 and 5 times them if there would
// be too few.
Axis make_log_axis(const Range& range, int count, double margin = 0);

// Whether a number has a place on an axis.
inline bool has_place(double value, bool is_log) {
  return std::isfinite(value) && (!is_log || value > 0);
}

// Appends the x and y of all points of a figure that have a place in it.
void collect_points(const Drawing& drawing, std::vector<double>& x, std::vector<double>& y);

// The axes of a figure with lines and points.
struct PlotAxes {
  Axis x, y;
};
PlotAxes plot_axes(const Drawing& drawing, int x_ticks, int y_ticks, double x_margin,
                   double y_margin);

// The smallest of 1, 2, 5, 10, 20, 50, ... that is not below `min`.
int64_t nice_interval(double min);

}  // namespace heed
