// Matrix products, each against oneDNN's sgemm on the same operands in the same run.
//
//   large-*       the shapes of transformer layers, forward (nn), dx (nt) and dW (tn)
//   invariance-*  few outputs with long sums: where cutting the sums differently for more threads
//                 would help most, which the fixed chain forbids; of_onednn is the price
//   few-*         1 to 16 rows on weights that come from memory, as in generating text
//   int8-*        weights of one byte, of layers in cache and few rows from memory
#include <fmt/format.h>

#include <array>
#include <vector>

#include "bench/ceilings.h"
#include "bench/product.h"
#include "bench/random_data.h"
#include "bench/suite.h"
#include "heed/kernels/int8_gemm.h"

namespace heed::bench {
namespace {

constexpr Product kLarge[] = {
    {Layout::nn, 512, 768, 768},   {Layout::nn, 512, 3072, 768},   {Layout::nn, 512, 768, 3072},
    {Layout::nn, 4096, 768, 3072}, {Layout::nn, 2048, 2048, 2048}, {Layout::nt, 512, 768, 3072},
    {Layout::nt, 4096, 3072, 768}, {Layout::nt, 2048, 2048, 2048}, {Layout::tn, 768, 3072, 512},
    {Layout::tn, 384, 384, 4096},  {Layout::tn, 768, 3072, 4096},  {Layout::tn, 2048, 2048, 2048},
};

constexpr Product kInvariance[] = {
    {Layout::nn, 64, 64, 16384},
    {Layout::nn, 512, 64, 4096},
    {Layout::tn, 64, 64, 65536},
    {Layout::tn, 192, 192, 16384},
};

constexpr int64_t kFew[] = {1, 2, 4, 8, 16};

constexpr Product kInt8Large[] = {
    {Layout::nn, 512, 2304, 768}, {Layout::nn, 512, 768, 768},  {Layout::nn, 512, 3072, 768},
    {Layout::nn, 512, 768, 3072}, {Layout::nn, 128, 2048, 512}, {Layout::nn, 32, 3072, 768},
};

Row run_large(const Product& product, const Effort& effort) {
  const Tensor a = product.make_a(1);
  const Tensor b = product.make_b(2);
  Tensor c = Tensor::empty({product.M, product.N});
  const std::array<Task, 2> tasks{Task{.work = [&] { product.run_heed(a, b, c); }},
                                  Task{.work = [&] { product.run_onednn(a, b, c); }}};
  const std::vector<Timing> times = measure_alternating(tasks, effort.timing);
  return {.timing = times[0], .flops = product.flops(), .onednn = times[1]};
}

// One run is a pass over as many weight matrices as make up effort.data_bytes.
Row run_few(const Product& product, const Effort& effort) {
  const int64_t bytes = product.N * product.K * 4;
  const int64_t count = (effort.data_bytes + bytes - 1) / bytes;
  const Tensor a = product.make_a(1);
  std::vector<Tensor> weights;
  for (int64_t i = 0; i < count; ++i) weights.push_back(product.make_b(2 + i));
  Tensor c = Tensor::empty({product.M, product.N});
  const auto pass = [&](auto run) {
    for (const Tensor& b : weights) (product.*run)(a, b, c);
  };
  const BesideReading measured =
      measure_beside_reading({timed({.work = [&] { pass(&Product::run_heed); }}),
                              timed({.work = [&] { pass(&Product::run_onednn); }})},
                             effort);
  return {.timing = measured.times[0],
          .flops = product.flops() * static_cast<double>(count),
          .bytes = static_cast<double>(bytes * count),
          .read_gbs = measured.read_gbs,
          .onednn = measured.times[1]};
}

struct Int8Weights {
  Tensor blocks, scale;
};

Int8Weights make_int8(const Product& product, uint64_t seed) {
  Int8Weights w{Tensor::empty({kernels::int8_blocks(product.N), kernels::int8_groups(product.K),
                               kernels::kInt8Columns, kernels::kInt8Depth},
                              DType::i8),
                Tensor::empty({product.N})};
  const Tensor real = product.make_b(seed);
  kernels::int8_pack(product.K, product.N, {real.data<float>(), product.N}, w.blocks.data<int8_t>(),
                     w.scale.data<float>());
  return w;
}

// One run is a pass over `count` weight matrices.
Row run_int8(const Product& product, int64_t count, const Effort& effort) {
  const Tensor a = product.make_a(1);
  std::vector<Int8Weights> weights;
  for (int64_t i = 0; i < count; ++i) {
    weights.push_back(make_int8(product, 2 + static_cast<uint64_t>(i)));
  }
  Tensor c = Tensor::empty({product.M, product.N});
  const auto pass = [&] {
    for (const Int8Weights& w : weights) {
      kernels::int8_gemm(product.M, a.data<float>(), product.K,
                         {product.K, product.N, w.blocks.data<int8_t>(), w.scale.data<float>()},
                         c.data<float>(), product.N);
    }
  };
  const BesideReading measured = measure_beside_reading({timed({.work = pass})}, effort);
  return {.timing = measured.times[0],
          .flops = product.flops() * static_cast<double>(count),
          .bytes = static_cast<double>(product.N * product.K * count),
          .read_gbs = measured.read_gbs};
}

Row run_int8_large(const Product& product, const Effort& effort) {
  return run_int8(product, 1, effort);
}

Row run_int8_few(const Product& product, const Effort& effort) {
  const int64_t bytes = product.N * product.K;
  return run_int8(product, (effort.data_bytes + bytes - 1) / bytes, effort);
}

}  // namespace

Suite gemm_suite() {
  Suite suite;
  const auto add = [&](const char* group, const Product& product, auto run) {
    suite.push_back({fmt::format("{}-{}", group, product.text()),
                     [product, run](const Effort& effort) { return run(product, effort); }});
  };
  for (const Product& product : kLarge) add("large", product, run_large);
  for (const Product& product : kInvariance) add("invariance", product, run_large);
  for (const int64_t M : kFew) add("few", {Layout::nn, M, 3072, 768}, run_few);
  for (const int64_t M : kFew) add("few", {Layout::nt, M, 50257, 768}, run_few);
  for (const Product& product : kInt8Large) add("int8", product, run_int8_large);
  for (const int64_t M : kFew) add("int8-few", {Layout::nn, M, 3072, 768}, run_int8_few);
  for (const int64_t M : kFew) add("int8-few", {Layout::nn, M, 50257, 768}, run_int8_few);
  return suite;
}

}  // namespace heed::bench
