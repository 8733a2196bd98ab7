#include "heed/attention/attention_result.h"

#include <cmath>

namespace heed {

Tensor RowStatistics::log_sum_exp() const {
  const Tensor m = max.to(DType::f64).contiguous();
  const Tensor l = sum.to(DType::f64).contiguous();
  Tensor result = Tensor::empty(m.shape(), DType::f64);
  double* out = result.data<double>();
  for (int64_t i = 0; i < m.size(); ++i)
    out[i] = m.data<double>()[i] + std::log(l.data<double>()[i]);
  return result.to(max.dtype());
}

}  // namespace heed
