// What a matrix product may do besides multiplying, see gemm.h.
#pragma once

#include <cstdint>

#include "heed/kernels/activations.h"

namespace heed::kernels {

// The slices that K is cut into.
inline constexpr int64_t kSlice = 384;

template <typename T>
struct GemmOptions {
  bool accumulate = false;                   // C + A B instead of A B
  const T* bias = nullptr;                   // [N], added to every row after the sum
  Activation activation = Activation::none;  // applied last
  T* before_activation = nullptr;  // if given, receives the values before it; laid out like C
};

}  // namespace heed::kernels
