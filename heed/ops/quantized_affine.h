// Linear maps and tables with weights of one byte, for inference: a quarter of the memory, and of
// the time to read it.
//
//   w_kj ~ scale_j q_kj        q in -127 .. 127, scale_j = max_k |w_kj| / 127
//   x_nk ~ s_n p_nk            the same for every row of x, by its own numbers alone
//   y_nj = f(s_n scale_j sum_k p_nk q_kj + b_j)
//
//   x : [N, In] float32     W : [In, Out]     b : [Out], optional     y : [N, Out]
//
//   the sums are exact, so that a row of y depends on its own row of x alone, bit for bit
//   a row of x that is not finite gives NaN; there is no backward
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/base/activation.h"
#include "heed/base/export.h"
#include "heed/ops/affine.h"

namespace heed {

// In blocks of 16 columns; in each of them groups of 4 rows, in each of these the 16 columns, and 4
// numbers of each. Missing rows and columns are 0.
struct HEED_API QuantizedMatrix {
  int64_t in = 0, out = 0;
  Tensor blocks = {};  // int8 [Out / 16, In / 4, 16, 4], rounded up
  Tensor scale = {};   // float32 [Out]

  bool defined() const { return blocks.defined(); }
  // The shape of the blocks of a matrix [in, out].
  static Shape blocks_shape(int64_t in, int64_t out);
};

// The layout says whether w is [In, Out] or [Out, In]. Weights that are not finite are an Error.
HEED_API QuantizedMatrix quantize(const Tensor& w, WeightLayout layout = WeightLayout::in_out);

HEED_API Variable quantized_affine(const Variable& x, const QuantizedMatrix& w,
                                   const Variable& b = {},
                                   Activation activation = Activation::none);

// y[n] = scale_j q_.j with j = ids[n]: the embedding of a table [Out, In].
HEED_API Variable quantized_embedding(const QuantizedMatrix& table, const Tensor& ids);

}  // namespace heed
