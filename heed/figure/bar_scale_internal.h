// What bars in SVG and in the terminal share: their axis, their order, their numbers.
#pragma once

#include <string>

#include "heed/figure/axis_internal.h"
#include "heed/figure/drawing.h"

namespace heed {

// From 0, or on a logarithmic axis from the power of ten below the smallest, to the largest.
Axis bar_axis(const Drawing& drawing, int ticks);

// Where the bar begins on the axis: at 0, or at the low end of a logarithmic one.
double bar_origin(const Axis& axis);

// A number beside its bar: four digits, with k, M, G or T from 100000 on.
std::string bar_number(double value);

}  // namespace heed
