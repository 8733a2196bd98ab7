// The first approach, without projections: every embedding becomes a mixture of all of them.
//
//   w_ij = softmax_j(x_i . x_j)        y_i = sum_j w_ij x_j
//
// A vector is most similar to itself, so w_ii takes a large share; masking the diagonal shares the
// rest among the others. There are n^2 dot products.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct SelfShare {
  Tensor weights;               // [n, n]
  Tensor weights_without_self;  // [n, n]: diagonal 0
  Tensor output, output_without_self;
  double share = 0;  // mean of w_ii
  int64_t dot_products = 0;
};

// x [n, d].
HEED_API SelfShare self_share(const Tensor& x);

}  // namespace heed
