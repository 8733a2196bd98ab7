#include "bench/product.h"

#include <fmt/format.h>

#include "bench/onednn.h"
#include "bench/random_data.h"
#include "heed/kernels/gemm.h"

namespace heed::bench {

double Product::flops() const {
  return 2 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K);
}

std::string Product::text() const {
  constexpr const char* kNames[] = {"nn", "nt", "tn"};
  return fmt::format("{}-{}x{}x{}", kNames[static_cast<size_t>(layout)], M, N, K);
}

Tensor Product::make_a(uint64_t seed) const {
  return layout == Layout::tn ? random_data({K, M}, seed) : random_data({M, K}, seed);
}

Tensor Product::make_b(uint64_t seed) const {
  return layout == Layout::nt ? random_data({N, K}, seed) : random_data({K, N}, seed);
}

kernels::MatrixView<float> Product::view_of_a(const Tensor& a) const {
  const kernels::MatrixView<float> view{a.data<float>(), a.stride(0)};
  return layout == Layout::tn ? view.transposed() : view;
}

kernels::MatrixView<float> Product::view_of_b(const Tensor& b) const {
  const kernels::MatrixView<float> view{b.data<float>(), b.stride(0)};
  return layout == Layout::nt ? view.transposed() : view;
}

void Product::run_heed(const Tensor& a, const Tensor& b, Tensor& c) const {
  kernels::gemm<float>(M, N, K, view_of_a(a), view_of_b(b), c.data<float>(), N);
}

void Product::run_onednn(const Tensor& a, const Tensor& b, Tensor& c) const {
  onednn_sgemm(M, N, K, view_of_a(a), view_of_b(b), c.data<float>());
}

}  // namespace heed::bench
