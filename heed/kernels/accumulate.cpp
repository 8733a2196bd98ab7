#include "heed/kernels/accumulate.h"

#include <algorithm>

#include "heed/base/fail_internal.h"
#include "heed/base/parallel.h"

namespace heed::kernels {
namespace {

constexpr int64_t kBlock = 1 << 15;

template <typename T>
void add(T* y, const T* x, int64_t n) {
  parallel_for((n + kBlock - 1) / kBlock, static_cast<double>(n) * 0.5, [&](int64_t block) {
    const int64_t end = std::min(n, (block + 1) * kBlock);
    for (int64_t i = block * kBlock; i < end; ++i) y[i] += x[i];
  });
}

}  // namespace

void accumulate(Tensor& y, const Tensor& x) {
  check(y.shape() == x.shape() && y.dtype() == x.dtype() && y.is_contiguous(),
        "accumulate: cannot add {} to {}", x.text(), y.text());
  const Tensor source = x.contiguous();
  if (y.dtype() == DType::f32) return add(y.data<float>(), source.data<float>(), y.size());
  add(y.data<double>(), source.data<double>(), y.size());
}

}  // namespace heed::kernels
