#include "apps/cli/inputs/typed_array.h"

#include <cmath>

#include "heed/base/fail.h"

namespace heed::cli {

Tensor converted(const std::string& option, const Tensor& array, DType type) {
  Tensor result = array.to(type);
  if (type != DType::f32 || array.dtype() != DType::f64) return result;
  const Tensor before = array.contiguous();
  for (int64_t i = 0; i < before.size(); ++i) {
    const double value = before.data<double>()[i];
    if (std::isfinite(value) && !std::isfinite(result.data<float>()[i])) {
      fail("{}: {} is too large for float32; use float64", option, value);
    }
  }
  return result;
}

}  // namespace heed::cli
