#include "heed/ops/dropout.h"

#include <vector>

#include "heed/kernels/dropout.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/row_view_internal.h"

namespace heed {
namespace {

std::vector<RandomKey> row_keys(const Rows& rows, RandomSite site) {
  std::vector<RandomKey> keys;
  keys.reserve(static_cast<size_t>(rows.total()));
  for (int64_t b = 0; b < rows.count(); ++b) {
    site.sequence = rows.id(b);
    for (int64_t t = 0; t < rows.length(b); ++t) {
      site.position = static_cast<uint64_t>(t);
      keys.push_back(random_key(site));
    }
  }
  return keys;
}

// y_nc = x_nc k_nc / (1 - p); and dx_nc = dy_nc k_nc / (1 - p)
Tensor masked(const Tensor& input, const Rows& rows, const DropoutOptions& options) {
  const RowView x(input, "dropout: x");
  const std::vector<RandomKey> keys = row_keys(rows, options.site);
  const uint32_t threshold = kernels::dropout_threshold(options.p);
  const double scale = 1 / (1 - options.p);
  Tensor y = Tensor::empty(input.shape(), input.dtype());
  if (y.dtype() == DType::f32) {
    kernels::dropout({.x = x.row<float>(0),
                      .stride = x.stride,
                      .N = x.rows,
                      .C = x.columns,
                      .keys = keys.data(),
                      .threshold = threshold,
                      .scale = static_cast<float>(scale)},
                     y.data<float>());
    return y;
  }
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t c = 0; c < x.columns; ++c) {
      const uint32_t bits = random_bits(keys[n], static_cast<uint32_t>(c));
      y.data<double>()[n * x.columns + c] = bits < threshold ? 0 : x.row<double>(n)[c] * scale;
    }
  }
  return y;
}

}  // namespace

Variable dropout(const Variable& x, const Rows& rows, const DropoutOptions& options) {
  check(options.p >= 0 && options.p < 1, "dropout: p must be in [0, 1), got {}", options.p);
  check(x.value().defined() && x.value().rank() == 2, "dropout: x must be [N, C], got {}",
        x.value());
  rows.require_total(x.value().dim(0), "dropout");
  return with_real(x, "dropout: x", [&](auto) {
    if (options.p == 0) return x;
    return record(masked(x, rows, options), {x},
                  [rows, options](const Tensor& dy) -> std::vector<Tensor> {
                    return {masked(dy, rows, options)};
                  });
  });
}

}  // namespace heed
