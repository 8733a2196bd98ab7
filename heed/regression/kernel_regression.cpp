#include "heed/regression/kernel_regression.h"

#include <limits>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/score_width.h"
#include "heed/attention/weights.h"
#include "heed/base/fail.h"
#include "heed/regression/column_scale.h"
#include "heed/regression/regression_normalizer_internal.h"

namespace heed {
namespace {

void require_inputs(const Tensor& x_query, const Tensor& x_seen) {
  check(x_query.defined() && x_query.rank() == 2,
        "kernel_regression: x_query must be [N, D], got {}", x_query);
  check(x_seen.defined() && x_seen.rank() == 2, "kernel_regression: x_seen must be [M, D], got {}",
        x_seen);
  check(x_seen.dim(0) > 0, "kernel_regression: there are no observations to learn from");
}

// The queries that no observation is in reach of.
std::vector<int64_t> empty_queries(const RowStatistics& statistics,
                                   const AttentionOptions& options) {
  std::vector<int64_t> rows;
  if (options.normalizer != Normalizer::sum) return rows;
  const Tensor sums = statistics.sum.to(DType::f64).contiguous();
  for (int64_t i = 0; i < sums.size(); ++i) {
    if (sums.data<double>()[i] == 0) rows.push_back(i);
  }
  return rows;
}

// What the empty queries get: for each, row r of `fill(selected queries, options)`.
template <typename Fill>
void fill_empty(Tensor& result, const std::vector<int64_t>& rows, const Tensor& x_query,
                const RegressionOptions& options, const Fill& fill) {
  if (rows.empty()) return;
  check(options.empty != EmptyRule::error,
        "kernel_regression: no observation is in reach of query {}{}; use a larger width, or "
        "another rule for empty queries: uniform, nearest or nan",
        rows[0], rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : "");
  if (options.empty == EmptyRule::nan) {
    for (const int64_t row : rows) {
      result.slice(0, row, row + 1).fill(std::numeric_limits<double>::quiet_NaN());
    }
    return;
  }
  // Both rules are attention again: equal weights, and all weight on the nearest observation.
  AttentionOptions rule;
  if (options.empty == EmptyRule::uniform) {
    rule.score = Constant{};
    rule.normalizer = Normalizer::sum;
  } else {
    rule.score = Gaussian{width_of(options.kernel)};
    rule.normalizer = Normalizer::one_hot;
  }
  const auto count = static_cast<int64_t>(rows.size());
  Tensor queries = Tensor::empty({count, x_query.dim(1)}, x_query.dtype());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = rows[i];
    queries.slice(0, i, i + 1).copy_from(x_query.slice(0, row, row + 1));
  }
  const Tensor answers = fill(queries, rule);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = rows[i];
    result.slice(0, row, row + 1).copy_from(answers.slice(0, i, i + 1));
  }
}

}  // namespace

Tensor kernel_regression(const Tensor& x_query, const Tensor& x_seen, const Tensor& y_seen,
                         const RegressionOptions& options) {
  require_inputs(x_query, x_seen);
  check(y_seen.defined() && y_seen.rank() == 2 && y_seen.dim(0) == x_seen.dim(0),
        "kernel_regression: y_seen must be [{}, C], a row for each of x_seen, got {}",
        x_seen.dim(0), y_seen);
  const NoGrad no_gradients;
  const Rows seen = Rows::single(x_seen.dim(0));
  AttentionOptions attend;
  attend.score = options.kernel;
  attend.normalizer = regression_normalizer(options.kernel);
  const AttentionResult found = attention_with_statistics(
      x_query, x_seen, y_seen, Rows::single(x_query.dim(0)), seen, attend);
  Tensor result = found.output.value();
  fill_empty(
      result, empty_queries(found.statistics, attend), x_query, options,
      [&](const Tensor& queries, const AttentionOptions& rule) {
        return attention(queries, x_seen, y_seen, Rows::single(queries.dim(0)), seen, rule).value();
      });
  return result;
}

Tensor scaled_kernel_regression(const Tensor& x_query, const Tensor& x_seen, const Tensor& y_seen,
                                const RegressionOptions& options, DType type) {
  require_inputs(x_query, x_seen);
  check(y_seen.defined() && y_seen.rank() == 2 && y_seen.dim(0) == x_seen.dim(0),
        "kernel_regression: y_seen must be [{}, C], a row for each of x_seen, got {}",
        x_seen.dim(0), y_seen);
  const ColumnScale x = ColumnScale::of(x_seen);
  const ColumnScale y = ColumnScale::of(y_seen);
  RegressionOptions scaled = options;
  const Variable width = width_of(options.kernel);
  scaled.kernel = with_width(
      options.kernel, x.scaled_width(width.value().defined() ? width.value().to(DType::f64)
                                                             : Tensor::full({1}, 1, DType::f64),
                                     type));
  return y.unscaled(kernel_regression(x.scaled(x_query, type), x.scaled(x_seen, type),
                                      y.scaled(y_seen, type), scaled));
}

Tensor kernel_regression_weights(const Tensor& x_query, const Tensor& x_seen,
                                 const RegressionOptions& options) {
  require_inputs(x_query, x_seen);
  const NoGrad no_gradients;
  const Rows seen = Rows::single(x_seen.dim(0));
  const Rows asked = Rows::single(x_query.dim(0));
  AttentionOptions attend;
  attend.score = options.kernel;
  attend.normalizer = regression_normalizer(options.kernel);
  // The values do not matter here: one column of any numbers brings the statistics.
  const Tensor any = Tensor::zeros({x_seen.dim(0), 1}, x_seen.dtype());
  const AttentionResult found =
      attention_with_statistics(x_query, x_seen, any, asked, seen, attend);
  Tensor result =
      attention_weights(x_query, x_seen, asked, seen, attend, {}, found.statistics);  // [N, M]
  fill_empty(result, empty_queries(found.statistics, attend), x_query, options,
             [&](const Tensor& queries, const AttentionOptions& rule) {
               return attention_weights(queries, x_seen, Rows::single(queries.dim(0)), seen, rule);
             });
  return result;
}

}  // namespace heed
