// One axis of a plot: its range and where the ticks are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  Range range;
  std::vector<Tick> ticks;

  // 0 at the low end, 1 at the high end.
  double place(double value) const { return (value - range.low) / (range.high - range.low); }
};

// Ticks at multiples of 1, 2 or 5 times a power of ten, about `count` of them. `margin` is the part
// of the range that is added at both ends.
Axis make_axis(const Range& range, int count, double margin = 0);

// The smallest of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
int64_t nice_interval(double least);

}  // namespace heed
