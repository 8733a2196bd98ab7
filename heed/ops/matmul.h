// The product of two matrices.
//
//   forward   y = A B
//   backward  dA = dy Bᵀ      dB = Aᵀ dy
//
//   A : [M, K]     B : [K, N]     y : [M, N]      keeps A and B
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/export.h"

namespace heed {

struct MatmulOptions {
  bool transpose_a = false;  // a is given as [K, M] and read as its transpose
  bool transpose_b = false;  // b is given as [N, K] and read as its transpose
};

HEED_API Variable matmul(const Variable& a, const Variable& b, const MatmulOptions& options = {});

}  // namespace heed
