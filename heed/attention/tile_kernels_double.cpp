// The kernels of tiles in double: plain loops, for proofs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/tile_kernels_internal.h"
#include "heed/attention/tile_score_internal.h"

namespace heed::engine {

template <>
void softmax_step<double>(int64_t rows, int64_t columns, double* s, double* max, double* sum,
                          double* output, int64_t value_width) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    const double top = std::max(max[i], *std::max_element(s, s + columns));
    const double m = std::isinf(top) && top < 0 ? 0 : top;
    const double scale = std::exp(max[i] - m);
    double total = 0;
    for (int64_t j = 0; j < columns; ++j) {
      s[j] = std::exp(s[j] - m);
      total += s[j];
    }
    max[i] = top;
    sum[i] = sum[i] * scale + total;
    for (int64_t j = 0; j < value_width; ++j) output[i * value_width + j] *= scale;
  }
}
template <>
void softmax_lanes_step<double>(int64_t rows, int64_t columns, const double* s,
                                const double* values, bool finite, double* state) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock, state += kLaneState) {
    for (int64_t l = 0; l < kStep; ++l) {
      double& max = state[l];
      double top = max, total = 0, weighted = 0;
      for (int64_t j = l; j < columns; j += kStep) top = std::max(top, s[j]);
      for (int64_t j = l; j < columns; j += kStep) {
        const double e = std::exp(s[j] - top);
        total += e;
        if (finite || e != 0) weighted += e * values[j];
      }
      const double scale = std::exp(max - top);
      max = top;
      state[kStep + l] = state[kStep + l] * scale + total;
      state[2 * kStep + l] = state[2 * kStep + l] * scale + weighted;
    }
  }
}
template <>
void softmax_lanes_end<double>(int64_t rows, const double* state, double* max, double* sum,
                               double* output) {
  for (int64_t i = 0; i < rows; ++i, state += kLaneState) {
    const double top = *std::max_element(state, state + kStep);
    sum[i] = output[i] = 0;
    for (int64_t l = 0; l < kStep; ++l) {
      const double scale = std::exp(state[l] - top);
      sum[i] += state[kStep + l] * scale;
      output[i] += state[2 * kStep + l] * scale;
    }
    max[i] = sum[i] == 0 ? -std::numeric_limits<double>::infinity() : top;  // no key
  }
}
template <>
void softmax_weights<double>(int64_t rows, int64_t columns, double* s, const double* max,
                             const double* inverse_sum) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    const double m = std::isinf(max[i]) && max[i] < 0 ? 0 : max[i];
    for (int64_t j = 0; j < columns; ++j) {
      const bool masked = s[j] == -std::numeric_limits<double>::infinity();
      s[j] = masked ? 0 : std::exp(s[j] - m) * inverse_sum[i];
    }
  }
}
template <>
void softmax_backward<double>(int64_t rows, int64_t columns, const double* w, const double* delta,
                              double* dw) {
  for (int64_t i = 0; i < rows; ++i, w += kBlock, dw += kBlock) {
    for (int64_t j = 0; j < columns; ++j) dw[j] = w[j] == 0 ? 0 : w[j] * (dw[j] - delta[i]);
  }
}
template <>
void exponential<double>(int64_t rows, int64_t columns, double* s) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; ++j) s[j] = std::exp(s[j]);
  }
}
template <>
void soft_cap<double>(int64_t rows, int64_t columns, double cap, double* s) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; ++j) s[j] = cap * std::tanh(s[j] / cap);
  }
}
template <>
void drop<double>(int64_t rows, int64_t columns, const RandomKey* keys, uint32_t first_key,
                  uint32_t threshold, double scale, double* s) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    for (int64_t j = 0; j < columns; ++j) {
      const bool kept = random_bits(keys[i], first_key + static_cast<uint32_t>(j)) >= threshold;
      s[j] = kept ? s[j] * scale : 0;
    }
  }
}
template <>
void add_scalar_values<double>(int64_t rows, int64_t columns, const double* w, const double* values,
                               bool finite, double* output) {
  for (int64_t i = 0; i < rows; ++i, w += kBlock) {
    double total = 0;
    for (int64_t j = 0; j < columns; ++j) {
      if (finite || w[j] != 0) total += w[j] * values[j];
    }
    output[i] += total;
  }
}
template <>
double dot<double>(const double* x, const double* y, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
}

}  // namespace heed::engine
