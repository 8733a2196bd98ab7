// A matrix product to time: heed's and oneDNN's on the same operands.
#pragma once

#include <cstdint>
#include <string>

#include "heed/kernels/matrix_view.h"
#include "heed/tensor/tensor.h"

namespace heed::bench {

// How the operands lie in memory: as they are, or transposed.
enum class Layout : uint8_t {
  nn,  // A [M, K]   B [K, N]      y = x W
  nt,  // A [M, K]   B [N, K]      dx = dy Wᵀ, and an embedding table as output layer
  tn,  // A [K, M]   B [K, N]      dW = xᵀ dy
};

struct Product {
  Layout layout;
  int64_t M, N, K;

  double flops() const;      // 2 M N K
  std::string text() const;  // "nt-512x768x3072"
  Tensor make_a(uint64_t seed) const;
  Tensor make_b(uint64_t seed) const;

  // c [M, N]
  void run_heed(const Tensor& a, const Tensor& b, Tensor& c) const;
  void run_onednn(const Tensor& a, const Tensor& b, Tensor& c) const;

 private:
  kernels::MatrixView<float> view_of_a(const Tensor& a) const;
  kernels::MatrixView<float> view_of_b(const Tensor& b) const;
};

}  // namespace heed::bench
