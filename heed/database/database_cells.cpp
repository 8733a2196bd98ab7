// Cells of a database: k-means, and the entries in the order of their cells.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/divide_up.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/base/stratified_sample.h"
#include "heed/database/database_internal.h"
#include "heed/kernels/gemm.h"

namespace heed {
namespace {

constexpr int kRounds = 8;
constexpr int64_t kSampled = 64;    // keys per cell that the centers are learned from
constexpr int64_t kCandidates = 8;  // keys per cell that the first centers are drawn from
constexpr int64_t kRows = 4096;     // keys that are compared with all centers at once

double squared_distance(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(a[i]) - b[i];
    sum += d * d;
  }
  return sum;
}

// The nearest center of every key: the largest k.c - |c|^2 / 2.
std::vector<int64_t> nearest_centers(const Tensor& keys, const Tensor& centers) {
  const int64_t m = keys.dim(0);
  const int64_t D = keys.dim(1);
  const int64_t cells = centers.dim(0);
  std::vector<float> half(static_cast<size_t>(cells));
  for (int64_t c = 0; c < cells; ++c) {
    const float* center = centers.data<float>() + c * D;
    double sum = 0;
    for (int64_t i = 0; i < D; ++i) sum += static_cast<double>(center[i]) * center[i];
    half[c] = static_cast<float>(-sum / 2);
  }
  std::vector<int64_t> result(static_cast<size_t>(m));
  Tensor products = Tensor::empty({std::min(kRows, m), cells});
  for (int64_t begin = 0; begin < m; begin += kRows) {
    const int64_t rows = std::min(kRows, m - begin);
    kernels::gemm<float>(rows, cells, D, {keys.data<float>() + begin * D, D, 1},
                         {centers.data<float>(), 1, D}, products.data<float>(), cells,
                         {.bias = half.data()});
    parallel_for(rows, static_cast<double>(rows * cells), [&](int64_t row) {
      const float* product = std::as_const(products).data<float>() + row * cells;
      result[begin + row] = std::max_element(product, product + cells) - product;
    });
  }
  return result;
}

// Keys drawn one after the other, with a probability that grows with the squared distance to those
// already drawn (k-means++, Arthur and Vassilvitskii 2007): groups that lie apart get cells of
// their own.
Tensor first_centers(const Tensor& sample, int64_t cells, uint64_t seed) {
  const int64_t D = sample.dim(1);
  const int64_t n = std::min(sample.dim(0), cells * kCandidates);
  const std::vector<int64_t> candidates = stratified_sample(sample.dim(0), n, seed, 2);
  Tensor centers = Tensor::empty({cells, D});
  const RandomKey draw = random_key({.seed = seed});
  std::vector<float> apart(static_cast<size_t>(n), std::numeric_limits<float>::infinity());
  const auto candidate = [&](int64_t i) { return sample.data<float>() + candidates[i] * D; };
  int64_t chosen = random_bits(draw, 0) % n;
  for (int64_t c = 0;; ++c) {
    const float* center = candidate(chosen);
    std::copy(center, center + D, centers.data<float>() + c * D);
    if (c + 1 == cells) return centers;
    constexpr int64_t kTask = 512;
    parallel_for(divide_up(n, kTask), static_cast<double>(n * D) / 2, [&](int64_t task) {
      for (int64_t i = task * kTask; i < std::min(n, (task + 1) * kTask); ++i) {
        const float* key = candidate(i);
        float sum = 0;
        for (int64_t d = 0; d < D; ++d) sum += (key[d] - center[d]) * (key[d] - center[d]);
        apart[i] = std::min(apart[i], sum);
      }
    });
    double total = 0;
    for (const float distance : apart) total += distance;
    double left = total * (random_bits(draw, static_cast<uint32_t>(c + 1)) * 0x1p-32);
    chosen = 0;
    while (chosen + 1 < n && left >= apart[chosen]) {
      left -= apart[chosen++];
    }
  }
}

}  // namespace

KMeans k_means(const Tensor& keys, int64_t cells, uint64_t seed) {
  const int64_t m = keys.dim(0);
  const int64_t D = keys.dim(1);
  check(cells > 0 && cells <= m, "database: {} cells for {} entries; 1 to {} are possible", cells,
        m, m);
  const int64_t sampled = std::min(m, cells * kSampled);
  const std::vector<int64_t> drawn = stratified_sample(m, sampled, seed, 1);
  Tensor sample = Tensor::empty({sampled, D});
  for (int64_t i = 0; i < sampled; ++i) {
    const int64_t from = drawn[i];
    sample.slice(0, i, i + 1).copy_from(keys.slice(0, from, from + 1));
  }
  KMeans result{first_centers(sample, cells, seed), {}};
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<int64_t> cell = nearest_centers(sample, result.centers);
    std::vector<double> sums(static_cast<size_t>(cells * D), 0);
    std::vector<int64_t> counts(static_cast<size_t>(cells), 0);
    for (int64_t i = 0; i < sampled; ++i) {
      const int64_t c = cell[i];
      ++counts[c];
      const float* key = std::as_const(sample).data<float>() + i * D;
      for (int64_t d = 0; d < D; ++d) sums[c * D + d] += key[d];
    }
    for (int64_t c = 0; c < cells; ++c) {
      const int64_t count = counts[c];
      if (count == 0) continue;  // an empty cell keeps its center
      for (int64_t d = 0; d < D; ++d) {
        result.centers.data<float>()[c * D + d] =
            static_cast<float>(sums[c * D + d] / static_cast<double>(count));
      }
    }
  }
  result.cell = nearest_centers(keys, result.centers);
  return result;
}

OrderedPart order_part(const Tensor& keys, const Tensor& values,
                       const std::vector<std::string>& names, const AppendOptions& options) {
  const int64_t m = keys.dim(0);
  const int64_t D = keys.dim(1);
  const int64_t Dv = values.dim(1);
  OrderedPart part{keys, values, names, Tensor::zeros({Dv}, DType::f64), {}};
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t c = 0; c < Dv; ++c) {
      part.origin.data<double>()[c] += values.data<float>()[i * Dv + c] / static_cast<double>(m);
    }
  }
  if (options.cells <= 0) return part;
  KMeans found = k_means(keys, options.cells, options.seed);
  const int64_t cells = found.centers.dim(0);
  DatabaseCells& table = part.cells;
  table.centers = found.centers;
  table.radius.assign(static_cast<size_t>(cells), 0);
  table.spread.assign(static_cast<size_t>(cells), 0);
  table.begins.assign(static_cast<size_t>(cells) + 1, 0);
  for (const int64_t c : found.cell) ++table.begins[static_cast<size_t>(c) + 1];
  std::partial_sum(table.begins.begin(), table.begins.end(), table.begins.begin());
  std::vector<int64_t> next = table.begins;
  part.keys = Tensor::empty({m, D});
  part.values = Tensor::empty({m, Dv});
  for (int64_t i = 0; i < m; ++i) {
    const auto c = static_cast<size_t>(found.cell[i]);
    const int64_t to = next[c]++;
    const float* key = keys.data<float>() + i * D;
    const float* value = values.data<float>() + i * Dv;
    std::copy(key, key + D, part.keys.data<float>() + to * D);
    std::copy(value, value + Dv, part.values.data<float>() + to * Dv);
    if (!names.empty()) part.names[to] = names[i];
    table.radius[c] = std::max(
        table.radius[c],
        squared_distance(
            key, std::as_const(found.centers).data<float>() + static_cast<int64_t>(c) * D, D));
    double spread = 0;
    for (int64_t d = 0; d < Dv; ++d) {
      const double off = value[d] - std::as_const(part.origin).data<double>()[d];
      spread += off * off;
    }
    table.spread[c] = std::max(table.spread[c], spread);
  }
  // Rounded up: a bound must not lose by its own rounding.
  for (double& r : table.radius) r = std::sqrt(r) * (1 + 1e-12);
  for (double& s : table.spread) s = std::sqrt(s) * (1 + 1e-12);
  return part;
}

}  // namespace heed
