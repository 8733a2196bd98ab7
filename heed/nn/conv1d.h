// A convolution over the rows of each sequence.
//
//   y_i = sum_k x_{i + k - c} W_k + b          k = 0 .. K - 1,  c = (K - 1) / 2
//
//   x : [N, In]     W : [K In, Out], W_k its rows k In .. (k + 1) In - 1     y : [N, Out]
//
// Rows beyond the ends of a sequence count as 0, so y has as many rows as x. K is odd.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/nn/linear.h"
#include "heed/tensor/rows.h"

namespace heed {

class HEED_API Conv1d {
 public:
  Conv1d() = default;
  Conv1d(const ParameterScope& scope, int64_t in, int64_t out, int64_t kernel,
         const LinearOptions& options = {});

  Variable operator()(const Variable& x, const Rows& rows) const;

  Linear linear;  // [K In, Out]

 private:
  int64_t in_ = 0, kernel_ = 1;
};

}  // namespace heed
