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
  const double least = 1e-12 * std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= least) {
    const double around = std::max(0.5, 0.1 * std::abs(range.low));
    return {range.low - around, range.high + around};
  }
  return range;
}

Axis make_axis(const Range& range, int count, double margin) {
  const double extra = margin * (range.high - range.low);
  Axis axis{{range.low - extra, range.high + extra}, {}};
  const double step = nice_step(axis.range.high - axis.range.low, std::max(count, 1));
  const double largest = std::max(std::abs(axis.range.low), std::abs(axis.range.high));
  const double slack = step * 1e-6;
  const double first = std::ceil((axis.range.low - slack) / step);
  for (int i = 0; i < 100; ++i) {  // the count is about `count`; 100 guards against rounding
    const double value = (first + i) * step;
    if (value > axis.range.high + slack) break;
    axis.ticks.push_back({value, tick_label(value, step, largest)});
  }
  return axis;
}

int64_t nice_interval(double least) {
  int64_t power = 1;
  while (static_cast<double>(5 * power) < least && power < (int64_t{1} << 50)) power *= 10;
  for (const int64_t factor : {1, 2}) {
    if (static_cast<double>(factor * power) >= least) return factor * power;
  }
  return 5 * power;
}

}  // namespace heed
