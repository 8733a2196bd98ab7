// What follows a matrix product while its block is still in cache: bias and activation.
#pragma once

#include <cstdint>

#include "heed/kernels/gemm_options.h"

namespace heed::kernels {

// A block of C of `rows` x `columns`, whose first element is (row, column) of the whole.
template <typename T>
struct EpilogueBlock {
  T* c;  // of the whole
  int64_t c_stride;
  int64_t row, rows, column, columns;
};

template <typename T>
void gemm_epilogue(const EpilogueBlock<T>& block, const GemmOptions<T>& options);

extern template void gemm_epilogue<float>(const EpilogueBlock<float>&, const GemmOptions<float>&);
extern template void gemm_epilogue<double>(const EpilogueBlock<double>&,
                                           const GemmOptions<double>&);

}  // namespace heed::kernels
