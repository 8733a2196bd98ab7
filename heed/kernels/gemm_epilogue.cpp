#include "heed/kernels/gemm_epilogue.h"

#include <algorithm>

namespace heed::kernels {

template <typename T>
void gemm_epilogue(const EpilogueBlock<T>& block, const GemmOptions<T>& options) {
  if (options.bias == nullptr && options.activation == Activation::none &&
      options.before_activation == nullptr) {
    return;
  }
  for (int64_t i = block.row; i < block.row + block.rows; ++i) {
    const int64_t at = i * block.c_stride + block.column;
    T* c = block.c + at;
    if (options.bias != nullptr) {
      const T* bias = options.bias + block.column;
      for (int64_t j = 0; j < block.columns; ++j) c[j] += bias[j];
    }
    if (options.before_activation != nullptr) {
      std::copy(c, c + block.columns, options.before_activation + at);
    }
    if (options.activation != Activation::none) {
      activate(options.activation, c, c, block.columns);
    }
  }
}

template void gemm_epilogue<float>(const EpilogueBlock<float>&, const GemmOptions<float>&);
template void gemm_epilogue<double>(const EpilogueBlock<double>&, const GemmOptions<double>&);

}  // namespace heed::kernels
