#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heed/figure/bar_scale_internal.h"

namespace heed {

Axis bar_axis(const Drawing& drawing, int ticks) {
  const bool is_log = drawing.options.log_x;
  std::vector<double> values;
  for (const std::vector<double>& series : drawing.bars->values) {
    for (const double value : series) {
      if (has_place(value, is_log)) values.push_back(value);
    }
  }
  if (!is_log) {
    values.push_back(0);
    return make_axis(range_of(values), ticks);
  }
  Range range = values.empty() ? Range{1, 10} : limits_of(values);
  range.low = std::pow(10.0, std::floor(std::log10(range.low) - 1e-9));
  return make_log_axis({range.low, std::max(range.high, 2 * range.low)}, ticks);
}

double bar_origin(const Axis& axis) {
  return axis.is_log ? 0 : std::clamp(axis.place(0), 0.0, 1.0);
}

std::string bar_number(double value) {
  constexpr std::array<const char*, 5> kUnits{"", " k", " M", " G", " T"};
  size_t unit = 0;
  if (std::abs(value) >= 1e5) {
    while (std::abs(value) >= 999.95 && unit + 1 < kUnits.size()) {
      value /= 1000;
      ++unit;
    }
  }
  return fmt::format("{:.4g}{}", value, kUnits[unit]);
}

}  // namespace heed
