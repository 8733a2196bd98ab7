// Matrix products: C = A B, in float32 and float64, in all transposes, bias and activation folded
// in.
//
// The chain of every sum is fixed: K is cut into slices of kSlice; within a slice an output is a
// sequence of fused multiply-adds in k order from 0; slices are added in order. An output therefore
// depends on its own row of A and column of B alone, bit for bit: not on the threads, on the other
// rows, or on which of the kernels below computed it.
#pragma once

#include <cstdint>

#include "heed/kernels/gemm_options.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// C [M, N] = A [M, K] B [K, N]; c_stride is the distance between rows of C. One of the strides of A
// and of B is 1.
template <typename T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<T> a, MatrixView<T> b, T* c, int64_t c_stride,
          const GemmOptions<T>& options = {});

extern template void gemm<float>(int64_t, int64_t, int64_t, MatrixView<float>, MatrixView<float>,
                                 float*, int64_t, const GemmOptions<float>&);
extern template void gemm<double>(int64_t, int64_t, int64_t, MatrixView<double>, MatrixView<double>,
                                  double*, int64_t, const GemmOptions<double>&);

}  // namespace heed::kernels
