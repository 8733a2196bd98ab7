// Matrix products with weights of one byte: y = f(x W + b), for inference.
//
//   w_kj ~ scale_j q_kj        q in -127 .. 127, scale_j = max_k |w_kj| / 127       per column
//   x_ik ~ s_i p_ik            p in -127 .. 127, s_i = max_k |x_ik| / 127           per row
//   y_ij = f((s_i scale_j) sum_k p_ik q_kj + b_j)
//
// p_ik is x_ik (127 / max) rounded to the nearest integer, ties to even; q likewise. A row of x is
// quantized by its own numbers alone and the sums are exact integers, so that a row of y has the
// same bits whatever its company, the threads, the kernel and the instruction set (up to those of
// the activation). A row of x whose largest number is below 2^-100 counts as 0; a row that holds
// NaN or an infinity gives NaN.
//
// The weights lie in the order in which the kernels read them: blocks of 16 columns, in each of
// them groups of 4 rows, in each of these the 16 columns, and 4 bytes of each. Missing rows and
// columns are 0. This is also their order in files.
#pragma once

#include <cstdint>

#include "heed/base/divide_up.h"
#include "heed/kernels/activations.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

inline constexpr int64_t kInt8Columns = 16;  // of a block
inline constexpr int64_t kInt8Depth = 4;     // rows of a group
// The longest sum that an int32 holds: 127 * 127 * kInt8Longest < 2^31.
inline constexpr int64_t kInt8Longest = 133144;

constexpr int64_t int8_blocks(int64_t N) { return divide_up(N, kInt8Columns); }
constexpr int64_t int8_groups(int64_t K) { return divide_up(K, kInt8Depth); }

struct Int8Matrix {
  int64_t K, N;
  const int8_t* blocks;  // [N / 16, K / 4, 16, 4], rounded up
  const float* scale;    // [N]
};

// Fills the blocks and scales of w [K, N]. A column that is not finite gets a scale that is NaN.
void int8_pack(int64_t K, int64_t N, MatrixView<float> w, int8_t* blocks, float* scale);

// to_k = scale_j q_kj, for k in [0, K).
void int8_column(const Int8Matrix& w, int64_t j, float* to);

struct Int8GemmOptions {
  const float* bias = nullptr;  // [N]
  Activation activation = Activation::none;
};

// y [M, N] from x [M, K], whose rows are x_stride apart. K is at most kInt8Longest.
void int8_gemm(int64_t M, const float* x, int64_t x_stride, const Int8Matrix& w, float* y,
               int64_t y_stride, const Int8GemmOptions& options = {});

}  // namespace heed::kernels
