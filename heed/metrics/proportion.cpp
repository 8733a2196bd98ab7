#include "heed/metrics/proportion.h"

#include <algorithm>
#include <cmath>

#include "heed/base/fail.h"

namespace heed {

double Proportion::value() const {
  return total > 0 ? static_cast<double>(correct) / static_cast<double>(total) : 0.0;
}

Interval Proportion::interval() const {
  check(correct >= 0 && correct <= total, "proportion: {} of {} is not a share", correct, total);
  if (total == 0) return {0, 1};
  constexpr double z = 1.959963984540054;  // 97.5 % of a normal distribution lie below
  const double n = static_cast<double>(total);
  const double p = value();
  const double scale = 1 + z * z / n;
  const double centre = (p + z * z / (2 * n)) / scale;
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale;
  return {correct == 0 ? 0.0 : std::max(0.0, centre - half),
          correct == total ? 1.0 : std::min(1.0, centre + half)};
}

}  // namespace heed
