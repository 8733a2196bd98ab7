#include "heed/nn/position_dense.h"

#include "heed/base/fail.h"
#include "heed/nn/time_major.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"

namespace heed {

PositionDense::PositionDense(const ParameterScope& scope, int64_t length) {
  check(length >= 1, "position_dense: the length must be at least 1, got {}", length);
  weight = scope.create("weight", {length, length}, Initializer::glorot(length, length));
  bias = scope.create("bias", {length}, Initializer::constant(0));
}

// With the rows in the order of time, x is [L, B C]: one product for all sequences. The bias is one
// more column of W, against a row of ones.
Variable PositionDense::operator()(const Variable& x, const Rows& rows) const {
  const Tensor& value = x;
  check(value.defined() && value.rank() == 2, "position_dense: x must be [N, C], got {}", value);
  rows.require_total(value.dim(0), "position_dense");
  const int64_t L = weight.value().dim(0), B = rows.count(), C = value.dim(1);
  for (int64_t b = 0; b < B; ++b) {
    check(rows.length(b) == L,
          "position_dense: sequence {} has {} rows; this layer has weights for exactly {}", b,
          rows.length(b), L);
  }
  const TimeMajor time(rows);
  const Variable columns = reshape(time.forth(x), {L, B * C});
  const Variable ones = Tensor::full({1, B * C}, 1, value.dtype());
  const Variable y =
      matmul(concatenate({weight, reshape(bias, {L, 1})}, 1), concatenate({columns, ones}));
  return time.back(reshape(y, {L * B, C}));
}

}  // namespace heed
