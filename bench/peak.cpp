#include <algorithm>
#include <array>
#include <vector>

#include "bench/ceilings.h"
#include "bench/product.h"

namespace heed::bench {
namespace {

double best_rate(const Product& product, const TimingOptions& options) {
  const Tensor a = product.make_a(1);
  const Tensor b = product.make_b(2);
  Tensor c = Tensor::empty({product.M, product.N});
  const std::array<Task, 2> tasks{Task{.work = [&] { product.run_heed(a, b, c); }},
                                  Task{.work = [&] { product.run_onednn(a, b, c); }}};
  double best = 0;
  for (const Timing& timing : measure_alternating(tasks, options)) {
    best = std::max(best, product.flops() / timing.best_ms / 1e6);
  }
  return best;
}

}  // namespace

double measure_peak(const Effort& effort) {
  std::vector<Product> products{{Layout::nn, 2048, 2048, 2048},
                                {Layout::nn, 4096, 4096, 1024},
                                {Layout::nn, 1024, 4096, 2048}};
  if (effort.small_products) products = {{Layout::nn, 256, 256, 256}};
  double best = 0;
  for (const Product& product : products) best = std::max(best, best_rate(product, effort.timing));
  return best;
}

}  // namespace heed::bench
