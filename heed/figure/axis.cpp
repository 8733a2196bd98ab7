#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/figure/axis_internal.h"

namespace heed {
namespace {

double nice_step(double span, int count) {
  const double rough = span / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

// All ticks of an axis get the same number of digits.
std::string tick_label(double value, double step, double largest) {
  if (std::abs(value) < step * 1e-6) value = 0;
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  if (largest < 1e7 && decimals <= 5) return fmt::format("{:.{}f}", value, decimals);
  if (value == 0) return "0";
  const double digits = std::floor(std::log10(largest)) - std::floor(std::log10(step) + 1e-9) + 1;
  return fmt::format("{:.{}g}", value, static_cast<int>(std::clamp(digits, 1.0, 12.0)));
}

}  // namespace

Range limits_of(std::span<const double> values) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range.low > range.high ? Range{0, 1} : range;
}

Range range_of(std::span<const double> values) {
  const Range range = limits_of(values);
  // A span that is lost in the rounding of its ends cannot be divided into ticks.
  const double min = 1e-12 * std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= min) {
    const double around = std::max(0.5, 0.1 * std::abs(range.low));
    return {range.low - around, range.high + around};
  }
  return range;
}

Axis make_axis(const Range& range, int count, double margin, bool is_whole) {
  const double extra = margin * (range.high - range.low);
  Axis axis{{range.low - extra, range.high + extra}, {}};
  const double largest = std::max(std::abs(axis.range.low), std::abs(axis.range.high));
  // A range may lie between two round numbers: then finer ones.
  for (int finer = 1; axis.ticks.size() < 2 && finer <= 4; finer *= 2) {
    axis.ticks.clear();
    const double nice = nice_step(axis.range.high - axis.range.low, std::max(count, 1) * finer);
    const double step = is_whole ? std::max(1.0, nice) : nice;
    const double slack = step * 1e-6;
    const double first = std::ceil((axis.range.low - slack) / step);
    for (int i = 0; i < 100; ++i) {  // the count is about `count`; 100 guards against rounding
      const double value = (first + i) * step;
      if (value > axis.range.high + slack) break;
      axis.ticks.push_back({value, tick_label(value, step, largest)});
    }
  }
  return axis;
}

Axis make_log_axis(const Range& range, int count, double margin) {
  const double low = std::log10(range.low);
  const double high = std::log10(range.high);
  const double extra = margin * (high - low);
  Axis axis{{low - extra, high + extra}, {}, true};
  const double decades = axis.range.high - axis.range.low;
  const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(count, 1))));
  const auto label = [](double value) {
    if (value >= 0.9e-4 && value < 1e6) return fmt::format("{:g}", value);
    const double power = std::floor(std::log10(value) + 1e-9);
    return fmt::format("{:.0f}e{:.0f}", value / std::pow(10.0, power), power);
  };
  const bool is_fine = 3 * decades <= count;
  const auto first = static_cast<int>(std::floor(axis.range.low));
  const auto last = static_cast<int>(std::ceil(axis.range.high));
  for (int power = first; power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !is_fine) break;
      if (power % every != 0 && !is_fine) break;
      const double at = power + std::log10(factor);
      if (at < axis.range.low - 1e-9 || at > axis.range.high + 1e-9) continue;
      const double value = factor * std::pow(10.0, power);
      if (has_place(value, true)) axis.ticks.push_back({value, label(value)});
    }
  }
  return axis;
}

void collect_points(const Drawing& drawing, std::vector<double>& x, std::vector<double>& y) {
  const FigureOptions& options = drawing.options;
  for (const Drawing::Series& series : drawing.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!has_place(series.x[i], options.log_x) || !has_place(series.y[i], options.log_y)) {
        continue;
      }
      x.push_back(series.x[i]);
      y.push_back(series.y[i]);
      if (!series.low.empty() && has_place(series.low[i], options.log_y)) {
        x.push_back(series.x[i]);
        y.push_back(series.low[i]);
      }
    }
  }
}

namespace {

// Numbers of layers, words or letters: nothing is between them. (0 and 1 alone may be anything.)
bool are_whole(const std::vector<double>& values) {
  const Range range = limits_of(values);
  return range.high - range.low >= 2 && std::all_of(values.begin(), values.end(), [](double value) {
           return value == std::round(value);
         });
}

Axis axis_of(const std::vector<double>& values, const std::optional<AxisRange>& wanted, bool is_log,
             int ticks, double margin, bool may_be_whole) {
  if (!is_log) {
    const Range range = wanted ? Range{wanted->low, wanted->high} : range_of(values);
    return make_axis(range, ticks, margin, may_be_whole && are_whole(values));
  }
  Range range = wanted ? Range{wanted->low, wanted->high} : limits_of(values);
  if (values.empty() || !(range.low > 0)) range = {0.1, 10};
  if (!(range.high > range.low * 1.0001)) range = {range.low / 2, range.high * 2};
  return make_log_axis(range, ticks, margin);
}

}  // namespace

PlotAxes plot_axes(const Drawing& drawing, int x_ticks, int y_ticks, double x_margin,
                   double y_margin) {
  std::vector<double> x;
  std::vector<double> y;
  collect_points(drawing, x, y);
  const FigureOptions& options = drawing.options;
  return {axis_of(x, options.x_range, options.log_x, x_ticks, x_margin, true),
          axis_of(y, options.y_range, options.log_y, y_ticks, y_margin, false)};
}

int64_t nice_interval(double min) {
  int64_t power = 1;
  while (static_cast<double>(5 * power) < min && power < (int64_t{1} << 50)) power *= 10;
  for (const int64_t factor : {1, 2}) {
    if (static_cast<double>(factor * power) >= min) return factor * power;
  }
  return 5 * power;
}

}  // namespace heed
