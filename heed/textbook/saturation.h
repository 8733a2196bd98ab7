// Softmax saturates: for large scores it is one-hot and passes no gradient.
//
//   w(c) = softmax(c s)
//   J    = diag(w) - w w'          its Frobenius norm says how much gradient passes
//
// In real numbers J never is 0; in floating point it becomes 0.
#pragma once

#include <span>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct SaturationPoint {
  double scale = 0;               // c
  double largest = 0;             // max w
  double entropy = 0;             // -sum w log w, in nats
  double gradient_norm = 0;       // |J| in float64
  float float_gradient_norm = 0;  // |J| from weights in float32
};

HEED_API std::vector<SaturationPoint> saturation(std::span<const double> scores,
                                                 std::span<const double> scales);

}  // namespace heed
