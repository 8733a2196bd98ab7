// A tensor as an operand of the kernels' matrix products.
#pragma once

#include "heed/kernels/matrix_view.h"
#include "heed/tensor/tensor.h"

namespace heed {

// A tensor [M, N] as an operand of kernels::gemm.
template <typename T>
kernels::MatrixView<T> as_matrix(const Tensor& x) {
  return {x.data<T>(), x.stride(0)};
}

}  // namespace heed
