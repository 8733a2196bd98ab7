// Nadaraya-Watson regression: attention without parameters.
//
//   f(q) = sum_i y_i K(q, x_i) / sum_i K(q, x_i)
//
// The kernel is one of the scores; Gaussian is evaluated through softmax, so that the nearest
// observation still counts where every kernel value underflows.
#pragma once

#include "heed/attention/attention.h"

namespace heed {

// What to answer where no observation is in reach of a kernel with bounded support.
enum class EmptyRule : uint8_t { error, uniform, nearest, nan };

struct RegressionOptions {
  Score kernel = Gaussian{};
  EmptyRule empty = EmptyRule::error;
};

// x_query [N, D], x_seen [M, D], y_seen [M, C] -> [N, C]. One-hot targets give class probabilities.
HEED_API Tensor kernel_regression(const Tensor& x_query, const Tensor& x_seen, const Tensor& y_seen,
                                  const RegressionOptions& options = {});

// The same for tables as they are found: columns are centered and scaled in double, computed with
// in `type`, and scaled back; the result is float64. For the kernels that have a width.
HEED_API Tensor scaled_kernel_regression(const Tensor& x_query, const Tensor& x_seen,
                                         const Tensor& y_seen,
                                         const RegressionOptions& options = {},
                                         DType type = DType::f32);

// The weights of the observations, [N, M].
HEED_API Tensor kernel_regression_weights(const Tensor& x_query, const Tensor& x_seen,
                                          const RegressionOptions& options = {});

}  // namespace heed
