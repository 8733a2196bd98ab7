// The loops over a tile of scores between the two products: mask, softmax, dropout, derivatives.
//
// A tile is [rows, kBlock]; loops run over the first `columns` of a row, a multiple of kStep. A
// masked score is -inf. Every row is computed by itself in a fixed order, and a masked column
// changes nothing: wider or narrower tiles give the same bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "heed/attention/tile_score_internal.h"
#include "heed/base/random.h"

namespace heed::engine {

// Online softmax. Per row: m' = max(m, max s); s <- exp(s - m'); the sum l and the output row o
// [value_width] are rescaled by exp(m - m') before the new terms are counted in l.
template <typename T>
void softmax_step(int64_t rows, int64_t columns, T* s, T* max, T* sum, T* output,
                  int64_t value_width);

// The same with values of width 1, where folding the lanes of a vector would take longer than the
// sums: lane l of a row owns the columns l, l + kStep, .. and has a maximum, a sum and an output of
// its own until the end. The state of a row is [3, kStep]. Without `finite`, values of weight 0 are
// left out.
inline constexpr int64_t kLaneState = 3 * kStep;

template <typename T>
void softmax_lanes_begin(int64_t rows, T* state) {
  for (int64_t i = 0; i < rows; ++i, state += kLaneState) {
    std::fill_n(state, kStep, std::numeric_limits<T>::lowest());  // -inf - -inf would be NaN
    std::fill_n(state + kStep, 2 * kStep, T{0});
  }
}
template <typename T>
void softmax_lanes_step(int64_t rows, int64_t columns, const T* s, const T* values, bool finite,
                        T* state);
// max, sum and output [rows].
template <typename T>
void softmax_lanes_end(int64_t rows, const T* state, T* max, T* sum, T* output);

// s <- exp(s - max) * inverse_sum, per row; 0 where s is -inf.
template <typename T>
void softmax_weights(int64_t rows, int64_t columns, T* s, const T* max, const T* inverse_sum);

// ds <- w (dw - delta), and 0 where w is 0, per row. Written over dw.
template <typename T>
void softmax_backward(int64_t rows, int64_t columns, const T* w, const T* delta, T* dw);

// s <- exp(s)
template <typename T>
void exponential(int64_t rows, int64_t columns, T* s);

// s <- cap tanh(s / cap)
template <typename T>
void soft_cap(int64_t rows, int64_t columns, T cap, T* s);

// Multiplies row i, columns from `first_key` on, by 0 or by `scale`: kept where
// random_bits(keys[i], column) >= threshold.
template <typename T>
void drop(int64_t rows, int64_t columns, const RandomKey* keys, uint32_t first_key,
          uint32_t threshold, T scale, T* s);

// The weighted sum of scalar values: output_i += sum_j w_ij values_j, in lanes over the keys.
// Without `finite`, terms of weight 0 are left out.
template <typename T>
void add_scalar_values(int64_t rows, int64_t columns, const T* w, const T* values, bool finite,
                       T* output);

// sum_i x_i y_i in a fixed order.
template <typename T>
T dot(const T* x, const T* y, int64_t n);

template <>
void softmax_step<float>(int64_t, int64_t, float*, float*, float*, float*, int64_t);
template <>
void softmax_step<double>(int64_t, int64_t, double*, double*, double*, double*, int64_t);
template <>
void softmax_lanes_step<float>(int64_t, int64_t, const float*, const float*, bool, float*);
template <>
void softmax_lanes_step<double>(int64_t, int64_t, const double*, const double*, bool, double*);
template <>
void softmax_lanes_end<float>(int64_t, const float*, float*, float*, float*);
template <>
void softmax_lanes_end<double>(int64_t, const double*, double*, double*, double*);
template <>
void softmax_weights<float>(int64_t, int64_t, float*, const float*, const float*);
template <>
void softmax_weights<double>(int64_t, int64_t, double*, const double*, const double*);
template <>
void softmax_backward<float>(int64_t, int64_t, const float*, const float*, float*);
template <>
void softmax_backward<double>(int64_t, int64_t, const double*, const double*, double*);
template <>
void exponential<float>(int64_t, int64_t, float*);
template <>
void exponential<double>(int64_t, int64_t, double*);
template <>
void soft_cap<float>(int64_t, int64_t, float, float*);
template <>
void soft_cap<double>(int64_t, int64_t, double, double*);
template <>
void drop<float>(int64_t, int64_t, const RandomKey*, uint32_t, uint32_t, float, float*);
template <>
void drop<double>(int64_t, int64_t, const RandomKey*, uint32_t, uint32_t, double, double*);
template <>
void add_scalar_values<float>(int64_t, int64_t, const float*, const float*, bool, float*);
template <>
void add_scalar_values<double>(int64_t, int64_t, const double*, const double*, bool, double*);
template <>
float dot<float>(const float*, const float*, int64_t);
template <>
double dot<double>(const double*, const double*, int64_t);

}  // namespace heed::engine
