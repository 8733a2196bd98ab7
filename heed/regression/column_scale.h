// Columns of a table moved to mean 0 and deviation 1, in double, before they become float32.
//
//   z_ic = (x_ic - mean_c) / deviation_c
//
// Years such as 1987.5 have four digits in front of what matters; float32 has seven in all. After
// scaling, all seven are for the differences.
#pragma once

#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct HEED_API ColumnScale {
  std::vector<double> mean;
  std::vector<double> deviation;  // divided by n; 1 for a constant column

  // Of [n, C] with n >= 1, any real type. A number that is not finite is an Error.
  static ColumnScale of(const Tensor& columns);

  Tensor scaled(const Tensor& columns, DType type) const;      // [n, C] -> [n, C]
  Tensor unscaled(const Tensor& columns) const;                // back, float64
  Tensor scaled_width(const Tensor& width, DType type) const;  // [1] or [C] -> [C]: divided
};

}  // namespace heed
