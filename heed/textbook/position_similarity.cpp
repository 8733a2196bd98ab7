#include "heed/textbook/position_similarity.h"

#include <cmath>

#include "heed/base/fail.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

constexpr double kBase = 10000;
constexpr double kSame = 1e-9;  // similarities that differ by less are equal

}  // namespace

double sinusoidal_similarity(int64_t distance, int64_t width, int64_t first) {
  double sum = 0;
  for (int64_t k = first; k < first + width / 2; ++k) {
    const double exponent = -2 * static_cast<double>(k) / static_cast<double>(width);
    sum += std::cos(std::pow(kBase, exponent) * static_cast<double>(distance));
  }
  return sum;
}

Tensor position_similarity(PositionCode code, const PositionSimilarityOptions& options) {
  const int64_t n = options.positions;
  check(n > 0 && n <= 4096, "position similarity: {} positions; 1 to 4096 are possible", n);
  check(options.width >= 2 && options.width % 2 == 0,
        "position similarity: the width must be even and at least 2, got {}", options.width);
  check(options.lambda > 0, "position similarity: lambda must be positive, got {}", options.lambda);
  Tensor result = Tensor::empty({n, n}, DType::f64);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto distance = static_cast<double>(i - j);
      double& entry = result.data<double>()[i * n + j];
      switch (code) {
        case PositionCode::linear: entry = static_cast<double>(i) * static_cast<double>(j); break;
        case PositionCode::gaussian: entry = std::exp(-options.lambda * distance * distance); break;
        case PositionCode::sinusoidal:
          entry = sinusoidal_similarity(i - j, options.width, options.first);
          break;
      }
    }
  }
  return result;
}

PositionCriteria position_criteria(const Tensor& similarity) {
  check(similarity.defined() && similarity.rank() == 2 && similarity.dim(0) == similarity.dim(1),
        "position criteria: a square matrix is needed, got {}", similarity);
  const int64_t n = similarity.dim(0);
  const std::vector<double> s = numbers_of(similarity);
  const auto at = [&](int64_t i, int64_t j) { return s[i * n + j]; };
  PositionCriteria result;
  result.distinct = true;
  result.monotone_to = n - 1;
  for (int64_t i = 0; i < n; ++i) {
    bool is_largest = true;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      // |phi(i) - phi(j)|^2 is 0 where the codes are equal.
      const double apart = at(i, i) - 2 * at(i, j) + at(j, j);
      result.distinct = result.distinct && apart > kSame;
      is_largest = is_largest && at(i, j) < at(i, i);
      const int64_t distance = std::abs(i - j);
      const int64_t nearer = j > i ? j - 1 : j + 1;
      if (at(i, j) >= at(i, nearer)) {
        result.monotone_to = std::min(result.monotone_to, distance - 1);
      }
    }
    result.nearest_is_most_similar += is_largest ? 1 : 0;
  }
  return result;
}

}  // namespace heed
