#include "heed/textbook/fit_length.h"

#include <algorithm>

#include "heed/base/fail.h"

namespace heed {

FittedRows fit_length(const Tensor& x, int64_t length, KeepPart keep) {
  check(x.defined() && x.rank() == 2, "fit length: x must be [n, C], got {}", x);
  check(length > 0, "fit length: the length must be positive, got {}", length);
  const int64_t n = x.dim(0);
  FittedRows fitted;
  fitted.valid = std::min(n, length);
  fitted.dropped = n - fitted.valid;
  if (keep == KeepPart::last) fitted.first = fitted.dropped;
  if (keep == KeepPart::middle) fitted.first = fitted.dropped / 2;
  fitted.rows = Tensor::zeros({length, x.dim(1)}, x.dtype());
  if (fitted.valid > 0) {
    fitted.rows.slice(0, 0, fitted.valid)
        .copy_from(x.slice(0, fitted.first, fitted.first + fitted.valid));
  }
  return fitted;
}

}  // namespace heed
