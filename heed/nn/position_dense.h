// A dense layer over positions, the same for every column: what attention and convolution are
// compared with.
//
//   y_i = sum_j w_ij x_j + b_i          i, j = 0 .. L - 1 within each sequence
//
//   x, y : [N, C], every sequence L rows long (an Error otherwise)     W : [L, L]     b : [L]
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/nn/parameters.h"
#include "heed/tensor/rows.h"

namespace heed {

class HEED_API PositionDense {
 public:
  PositionDense() = default;
  PositionDense(const ParameterScope& scope, int64_t length);

  Variable operator()(const Variable& x, const Rows& rows) const;

  Variable weight;  // [L, L]
  Variable bias;    // [L]
};

}  // namespace heed
