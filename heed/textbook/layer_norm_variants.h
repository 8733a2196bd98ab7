// Three readings of layer normalization of one row x_1 .. x_H, with gain 1 and shift 0.
//
//   standard     (x_i - mean) / sqrt(var + eps)      var = sum (x_i - mean)^2 / H
//   textbook     (x_i - mean) / (s + eps)            s^2 = sum (x_i - mean)^2 / (H - 1), the code
//   by variance  (x_i - mean) / (var + eps)          the formula as it is printed: a mistake
//
// Only the first gives the row mean 0 and variance 1.
#pragma once

#include <span>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct LayerNormVariants {
  std::vector<double> standard, textbook, by_variance;
  double mean = 0;
  double variance = 0;            // of x, divided by H
  double unbiased_deviation = 0;  // s; 0 for a single number
};

HEED_API LayerNormVariants layer_norm_variants(std::span<const double> x, double epsilon = 1e-6);

}  // namespace heed
