#include "heed/nn/conv1d.h"

#include "heed/base/fail.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {

Conv1d::Conv1d(const ParameterScope& scope, int64_t in, int64_t out, int64_t kernel,
               const LinearOptions& options)
    : in_(in), kernel_(kernel) {
  check(kernel >= 1 && kernel % 2 == 1,
        "conv1d: the kernel must be odd, so that it has a middle; got {}", kernel);
  linear = Linear(scope, kernel * in, out, options);
}

// The window around every row as one long row, then one product.
Variable Conv1d::operator()(const Variable& x, const Rows& rows) const {
  const Tensor& value = x;
  check(value.defined() && value.rank() == 2 && value.dim(1) == in_,
        "conv1d: x must be [N, {}], got {}", in_, value);
  rows.require_total(value.dim(0), "conv1d");
  const int64_t N = rows.total(), middle = (kernel_ - 1) / 2;
  Tensor windows = Tensor::empty({N * kernel_}, DType::i64);
  int64_t* to = windows.data<int64_t>();
  for (int64_t b = 0; b < rows.count(); ++b) {
    for (int64_t i = rows.begin(b); i < rows.end(b); ++i) {
      for (int64_t j = i - middle; j <= i + middle; ++j) {
        *to++ = j >= rows.begin(b) && j < rows.end(b) ? j : N;  // row N holds zeros
      }
    }
  }
  const Variable padded = concatenate({x, Variable(Tensor::zeros({1, in_}, value.dtype()))});
  return linear(reshape(gather(padded, windows), {N, kernel_ * in_}));
}

}  // namespace heed
