#include "heed/kernels/activation.h"

#include "heed/ops/activation_internal.h"
#include "heed/ops/operands_internal.h"

namespace heed {
namespace {

// y = f(x)
template <typename T>
Tensor activation_forward(Activation f, const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  kernels::activate_parallel(f, x.data<T>(), y.data<T>(), x.size());
  return y;
}

// y = f(x):  dx = dy f'(x)
template <typename T>
Tensor activation_backward(Activation f, const Tensor& x, const Tensor& dy) {
  Tensor dx = Tensor::empty(x.shape(), x.dtype());
  kernels::activate_backward_parallel(f, x.data<T>(), dy.data<T>(), dx.data<T>(), x.size());
  return dx;
}

}  // namespace

Variable activation(Activation f, const Variable& input, const char* what) {
  return with_real(input, what, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = input.value().contiguous();
    return record(activation_forward<T>(f, x), {input},
                  [f, x](const Tensor& dy) -> std::vector<Tensor> {
                    return {activation_backward<T>(f, x, dy.contiguous())};
                  });
  });
}

}  // namespace heed
