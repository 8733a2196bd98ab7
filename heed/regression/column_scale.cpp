#include "heed/regression/column_scale.h"

#include <cmath>
#include <utility>

#include "heed/base/fail.h"

namespace heed {
namespace {

Tensor as_double(const Tensor& columns, const char* what) {
  check(columns.defined() && columns.rank() == 2, "column scale: {} must be [n, C], got {}", what,
        columns);
  return columns.to(DType::f64).contiguous();
}

}  // namespace

ColumnScale ColumnScale::of(const Tensor& columns) {
  const Tensor x = as_double(columns, "the columns");
  const int64_t n = x.dim(0);
  const int64_t C = x.dim(1);
  check(n > 0, "column scale: there are no rows");
  const double* value = std::as_const(x).data<double>();
  ColumnScale scale{std::vector<double>(static_cast<size_t>(C), 0),
                    std::vector<double>(static_cast<size_t>(C), 0)};
  for (int64_t i = 0; i < n * C; ++i) {
    check(std::isfinite(value[i]), "column scale: row {}, column {} is {}, not a finite number",
          i / C, i % C, value[i]);
    scale.mean[i % C] += value[i] / static_cast<double>(n);
  }
  for (int64_t i = 0; i < n * C; ++i) {
    const auto c = static_cast<size_t>(i % C);
    scale.deviation[c] += std::pow(value[i] - scale.mean[c], 2) / static_cast<double>(n);
  }
  for (size_t c = 0; c < scale.deviation.size(); ++c) {
    scale.deviation[c] = std::sqrt(scale.deviation[c]);
    // Rounding of the mean must not count as spread.
    const bool is_constant = scale.deviation[c] <= 1e-14 * std::abs(scale.mean[c]);
    if (is_constant || !(scale.deviation[c] > 0)) scale.deviation[c] = 1;
  }
  return scale;
}

Tensor ColumnScale::scaled(const Tensor& columns, DType type) const {
  Tensor x = as_double(columns, "the columns").clone();
  const int64_t C = x.dim(1);
  check(C == static_cast<int64_t>(mean.size()), "column scale: {} columns, the scale has {}", C,
        mean.size());
  double* value = x.data<double>();
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto c = static_cast<size_t>(i % C);
    value[i] = (value[i] - mean[c]) / deviation[c];
  }
  return x.to(type);
}

Tensor ColumnScale::unscaled(const Tensor& columns) const {
  Tensor x = as_double(columns, "the columns").clone();
  const int64_t C = x.dim(1);
  double* value = x.data<double>();
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto c = static_cast<size_t>(i % C);
    value[i] = value[i] * deviation[c] + mean[c];
  }
  return x;
}

Tensor ColumnScale::scaled_width(const Tensor& width, DType type) const {
  const auto C = static_cast<int64_t>(mean.size());
  const Tensor given = width.to(DType::f64).contiguous();
  check(given.rank() == 1 && (given.dim(0) == 1 || given.dim(0) == C),
        "column scale: a width must be [1] or [{}], got {}", C, width);
  Tensor result = Tensor::empty({C}, DType::f64);
  for (int64_t c = 0; c < C; ++c) {
    result.data<double>()[c] =
        std::as_const(given).data<double>()[given.dim(0) == 1 ? 0 : c] / deviation[c];
  }
  return result.to(type);
}

}  // namespace heed
