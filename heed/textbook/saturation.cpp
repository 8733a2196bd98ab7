#include "heed/textbook/saturation.h"

#include <algorithm>
#include <cmath>

#include "heed/base/fail.h"
#include "heed/ops/softmax.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

template <typename T>
T jacobian_norm(const std::vector<T>& w) {
  T sum = 0;
  for (size_t i = 0; i < w.size(); ++i) {
    for (size_t j = 0; j < w.size(); ++j) {
      const T entry = (i == j ? w[i] : T{0}) - w[i] * w[j];
      sum += entry * entry;
    }
  }
  return std::sqrt(sum);
}

}  // namespace

std::vector<SaturationPoint> saturation(std::span<const double> scores,
                                        std::span<const double> scales) {
  check(!scores.empty(), "saturation: there are no scores");
  std::vector<SaturationPoint> points;
  for (const double scale : scales) {
    std::vector<double> scaled;
    for (const double s : scores) scaled.push_back(scale * s);
    const Tensor x = vector_of(scaled);
    const std::vector<double> w = numbers_of(softmax(x).value());
    const std::vector<double> single = numbers_of(softmax(x.to(DType::f32)).value());
    SaturationPoint point{scale, *std::max_element(w.begin(), w.end())};
    for (const double weight : w) point.entropy -= weight > 0 ? weight * std::log(weight) : 0;
    point.gradient_norm = jacobian_norm(w);
    point.float_gradient_norm = jacobian_norm(std::vector<float>(single.begin(), single.end()));
    points.push_back(point);
  }
  return points;
}

}  // namespace heed
