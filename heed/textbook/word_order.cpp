#include "heed/textbook/word_order.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "heed/base/fail.h"
#include "heed/nn/positions.h"
#include "heed/ops/matmul.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

// The embedding of a word depends on its letters alone.
uint64_t site_of(std::string_view word) {
  uint64_t h = 0;
  for (const char c : word) h = mix_bits(h ^ static_cast<unsigned char>(c));
  return h;
}

Tensor embeddings(const std::vector<std::string>& words, const WordOrderOptions& options) {
  const auto n = static_cast<int64_t>(words.size());
  Tensor x = options.positions ? sinusoidal_positions(0, n, options.width, DType::f64)
                               : Tensor::zeros({n, options.width}, DType::f64);
  for (int64_t i = 0; i < n; ++i) {
    const Tensor word = normal_numbers({options.width}, options.seed, site_of(words[i]));
    for (int64_t c = 0; c < options.width; ++c) {
      x.data<double>()[i * options.width + c] += std::as_const(word).data<double>()[c];
    }
  }
  return x;
}

Tensor attended(const std::vector<std::string>& words, const WordOrderOptions& options) {
  const NoGrad no_gradients;
  const Tensor x = embeddings(words, options);
  const Shape shape{options.width, options.width};
  const double deviation = 1 / std::sqrt(static_cast<double>(options.width));
  const auto projected = [&](uint64_t site) {
    return matmul(x, normal_numbers(shape, options.seed, site, deviation)).value();
  };
  return pool(projected(1), projected(2), projected(3),
              {.mask = options.causal ? Mask::causal() : Mask{}})
      .output;
}

}  // namespace

WordOrder word_order(const std::vector<std::string>& first, const std::vector<std::string>& second,
                     const WordOrderOptions& options) {
  check(!first.empty() &&
            std::is_permutation(first.begin(), first.end(), second.begin(), second.end()),
        "word order: the two sentences must have the same words");
  check(options.width >= 2 && options.width % 2 == 0,
        "word order: the width must be even and at least 2, got {}", options.width);
  WordOrder result;
  result.words = first;
  result.first = attended(first, options);
  const Tensor other = attended(second, options);
  result.second = Tensor::empty(other.shape(), DType::f64);
  std::vector<bool> is_used(second.size(), false);
  for (size_t i = 0; i < first.size(); ++i) {
    size_t j = 0;
    while (is_used[j] || second[j] != first[i]) ++j;
    is_used[j] = true;
    const auto to = static_cast<int64_t>(i);
    const auto from = static_cast<int64_t>(j);
    result.second.slice(0, to, to + 1).copy_from(other.slice(0, from, from + 1));
    result.differences.push_back(
        largest_difference(result.first.slice(0, to, to + 1), result.second.slice(0, to, to + 1)));
  }
  result.same = std::all_of(result.differences.begin(), result.differences.end(),
                            [](double d) { return d < 1e-12; });
  return result;
}

}  // namespace heed
