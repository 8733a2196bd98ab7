#include "heed/textbook/attention_chain.h"

#include "heed/base/fail.h"
#include "heed/ops/add.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

// Small enough that a row does not see itself alone.
constexpr double kDeviation = 0.5;

double spread_of(const Tensor& rows) {
  const int64_t n = rows.dim(0);
  const int64_t width = rows.dim(1);
  const std::vector<double> x = numbers_of(rows);
  double around = 0;
  double all = 0;
  for (int64_t c = 0; c < width; ++c) {
    double mean = 0;
    for (int64_t i = 0; i < n; ++i) mean += x[i * width + c] / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      const double value = x[i * width + c];
      around += (value - mean) * (value - mean);
      all += value * value;
    }
  }
  return all > 0 ? std::sqrt(around / all) : 0;
}

}  // namespace

AttentionChain attention_chain(const AttentionChainOptions& options) {
  check(options.layers >= 0 && options.length > 0 && options.width > 0,
        "attention chain: {} layers, length {}, width {}; sizes must be positive", options.layers,
        options.length, options.width);
  const NoGrad no_gradients;
  AttentionChain chain;
  Tensor x = normal_numbers({options.length, options.width}, options.seed, 0, kDeviation);
  for (int64_t layer = 0;; ++layer) {
    chain.outputs.push_back(x);
    chain.spread.push_back(spread_of(x));
    if (layer == options.layers) return chain;
    const Tensor y = pool(x, x, x).output;
    x = options.residual ? add(x, y).value() : y;
  }
}

}  // namespace heed
