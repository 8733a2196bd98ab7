#include "heed/textbook/permutation.h"

#include <numeric>
#include <vector>

#include "heed/base/fail.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

Tensor reordered(const Tensor& rows, const std::vector<int64_t>& order) {
  Tensor result = Tensor::empty(rows.shape(), rows.dtype());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto to = static_cast<int64_t>(i);
    result.slice(0, to, to + 1).copy_from(rows.slice(0, order[i], order[i] + 1));
  }
  return result;
}

}  // namespace

PermutationResult permutation_experiment(const PermutationOptions& options) {
  check(options.queries > 0 && options.keys > 0 && options.width > 0,
        "permutation: {} queries, {} keys, width {}; all must be positive", options.queries,
        options.keys, options.width);
  const Tensor q = normal_numbers({options.queries, options.width}, options.seed, 0);
  const Tensor k = normal_numbers({options.keys, options.width}, options.seed, 1);
  const Tensor v = normal_numbers({options.keys, options.width}, options.seed, 2);
  std::vector<int64_t> shuffled(static_cast<size_t>(options.keys));
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::vector<int64_t> shifted = shuffled;
  const RandomKey draw = random_key({.seed = options.seed, .site = 3});
  for (size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1], shuffled[random_bits(draw, static_cast<uint32_t>(i)) % i]);
  }
  for (int64_t& place : shifted) {
    place = ((place - options.shift) % options.keys + options.keys) % options.keys;
  }
  PermutationResult result;
  result.output = pool(q, k, v).output;
  result.shuffled = pool(q, reordered(k, shuffled), reordered(v, shuffled)).output;
  result.shifted = pool(q, reordered(k, shifted), reordered(v, shifted)).output;
  result.keys_only = pool(q, reordered(k, shifted), v).output;
  result.shuffle_difference = largest_difference(result.output, result.shuffled);
  result.shift_difference = largest_difference(result.output, result.shifted);
  result.keys_only_difference = largest_difference(result.output, result.keys_only);
  return result;
}

}  // namespace heed
