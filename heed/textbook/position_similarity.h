// What a good code of positions must do, and how three codes do it.
//
//   linear       phi(i) = i                       phi(i).phi(j) = i j: grows with both
//   Gaussian     phi(i).phi(j) = exp(-lambda (i - j)^2), the ideal, with infinitely many features
//   sinusoidal   phi(i).phi(j) = sum_k cos(w_k (i - j)),  w_k = 10000^(-2k/d),  k = k0 .. k0+d/2-1
//
// Criteria: no two positions have the same code, and nearer positions are more similar. The first
// k is 0 in Vaswani et al. (2017); the lecture notes start at 1, which drops the fastest wave.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

enum class PositionCode : uint8_t { linear, gaussian, sinusoidal };

struct PositionSimilarityOptions {
  int64_t positions = 64;  // 0 .. positions - 1
  int64_t width = 64;      // d of the sinusoids
  int64_t first = 0;       // k0
  double lambda = 0.01;    // of the Gaussian
};

// [n, n]: phi(i) . phi(j).
HEED_API Tensor position_similarity(PositionCode code,
                                    const PositionSimilarityOptions& options = {});

struct PositionCriteria {
  bool distinct = false;                // similarity to itself differs from that to any other
  int64_t nearest_is_most_similar = 0;  // rows whose largest entry is on the diagonal, of n
  int64_t monotone_to = 0;  // for all i, similarity falls with |i - j| up to this distance
};
HEED_API PositionCriteria position_criteria(const Tensor& similarity);

// sum_k cos(w_k distance), without the matrix.
HEED_API double sinusoidal_similarity(int64_t distance, int64_t width, int64_t first = 0);

}  // namespace heed
