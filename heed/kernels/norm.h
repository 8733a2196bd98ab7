// Layer norms over rows of float, see ops/layer_norm.h and ops/rms_norm.h for the formulas. All of
// them are
//
//   y = xhat gamma + beta        xhat_i = (x_i - mean) r
//   dx = r (g - center mean(g) - xhat b sum_j g_j xhat_j)        g = dy gamma
//
// and differ in mean, r and b, which the forward keeps for each row.
#pragma once

#include <cstdint>

namespace heed::kernels {

enum class NormForm : uint8_t {
  standard,  // r = 1 / sqrt(var + eps), var over C            b = 1 / C
  textbook,  // r = 1 / (s + eps), s^2 = var over C - 1        b = (s + eps) / ((C - 1) s)
  rms,       // mean = 0, r = 1 / sqrt(mean(x^2) + eps)        b = 1 / C, without centering
};

struct NormStatistics {
  float mean, r, b;
};

// x and dy: `stride` elements between rows; y and dx: [N, C]; gamma, beta: [C].
struct NormForward {
  NormForm form;
  float epsilon;
  int64_t N, C;
  const float* x;
  int64_t x_stride;
  const float* gamma;
  const float* beta;  // null: 0
};
void norm_forward(const NormForward& norm, float* y, NormStatistics* statistics);  // [N]

struct NormBackward {
  NormForm form;
  int64_t N, C;
  const float* x;
  int64_t x_stride;
  const float* dy;
  int64_t dy_stride;
  const float* gamma;
  const NormStatistics* statistics;  // [N]
};
// dgamma_c = sum_n dy xhat, dbeta_c = sum_n dy: blocks of 64 rows, then a fixed tree.
void norm_backward(const NormBackward& norm, float* dx, float* dgamma, float* dbeta);

}  // namespace heed::kernels
