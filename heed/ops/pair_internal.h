// The operands of add and multiply: two tensors of one shape, or [..., C] and a row [C] that is
// repeated.
#pragma once

#include "heed/kernels/combine.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/row_view_internal.h"

namespace heed {

struct Pair {
  RowView a, b;
  bool repeated;  // b is a row

  Pair(const Tensor& first, const Tensor& second, const char* what);

  int64_t b_stride() const { return repeated ? 0 : b.stride; }
};

// A view of rows as an operand of kernels::combine.
inline kernels::RowsOf rows_of(const RowView& x) { return {x.row<float>(0), x.stride}; }
inline kernels::RowsOf second_of(const Pair& pair) {
  return {pair.b.row<float>(0), pair.b_stride()};
}

}  // namespace heed
