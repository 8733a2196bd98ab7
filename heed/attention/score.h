// Scores: how well a key fits a query.
//
// Similarities, for softmax:
//   ScaledDot   a(q,k) = scale q.k                  scale = 1/sqrt(D) unless given
//   Dot         a(q,k) = q.k
//   Bilinear    a(q,k) = q' M k                     q and k may have different widths
//   Additive    a(q,k) = w_v' tanh(W_q q + W_k k)
//   Gaussian    a(q,k) = -u^2 / 2                   u = |(q - k) / width|, coordinate by coordinate
//
// Kernels, whose values are weights themselves; normalize them by `sum`:
//   Boxcar        1 if u <= 1, else 0
//   Triangular    max(0, 1 - u)
//   Epanechnikov  max(0, 1 - u^2)
//   Constant      1
//   Gaussian under `sum` and `none` is the Gaussian kernel exp(-u^2 / 2).
//
// The parameters are Variables: give a Variable::parameter and backward returns its gradient.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <variant>

#include "heed/autograd/variable.h"

namespace heed {

struct ScaledDot {
  std::optional<double> scale = {};  // 1/sqrt(D) if not given
};

struct Dot {};

struct Bilinear {
  Variable m;  // [Dq, Dk]
};

struct Additive {
  Variable w_q;  // [h, Dq]
  Variable w_k;  // [h, Dk]
  Variable w_v;  // [h]
};

// Widths of the distance-based scores: none (1 everywhere), one for all coordinates [1], or one per
// coordinate [D]. Must be positive.
struct Gaussian {
  Variable width = {};
};
struct Boxcar {
  Variable width = {};
};
struct Triangular {
  Variable width = {};
};
struct Epanechnikov {
  Variable width = {};
};

struct Constant {};

// A score of your own, evaluated pair by pair: the slow path. q and k have the same width.
// `gradient` adds ds * da/dq to dq and ds * da/dk to dk; without it the score is taken as constant
// in backward.
struct CustomScore {
  std::function<double(std::span<const double> q, std::span<const double> k)> score;
  std::function<void(std::span<const double> q, std::span<const double> k, double ds,
                     std::span<double> dq, std::span<double> dk)>
      gradient = {};
};

using Score = std::variant<ScaledDot, Dot, Bilinear, Additive, Gaussian, Boxcar, Triangular,
                           Epanechnikov, Constant, CustomScore>;

// From scores s to weights w, over the allowed keys of a query.
enum class Normalizer : uint8_t {
  softmax,  // w_j = exp(s_j) / sum exp(s)
  sum,      // w_j = s_j / sum s; 0 where the sum is 0 (or below the smallest normal number)
  none,     // w_j = s_j
  one_hot,  // w_j = 1 for the first key with the largest score, else 0; no score gradient
            // (if a score is NaN, so are the weights)
};

}  // namespace heed
