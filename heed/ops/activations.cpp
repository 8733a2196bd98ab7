#include "heed/ops/activations.h"

#include "heed/kernels/activations.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

// y = f(x)
template <typename T>
Tensor activated(Activation f, const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  kernels::activate_parallel(f, x.data<T>(), y.data<T>(), x.size());
  return y;
}

// y = f(x):  dx = dy f'(x)
template <typename T>
Tensor activated_backward(Activation f, const Tensor& x, const Tensor& dy) {
  Tensor dx = Tensor::empty(x.shape(), x.dtype());
  kernels::activate_backward_parallel(f, x.data<T>(), dy.data<T>(), dx.data<T>(), x.size());
  return dx;
}

// `what` names the operation in errors.
Variable activation(Activation f, const Variable& input, const char* what) {
  return with_real(input, what, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = input.value().contiguous();
    return record(activated<T>(f, x), {input}, [f, x](const Tensor& dy) -> std::vector<Tensor> {
      return {activated_backward<T>(f, x, dy.contiguous())};
    });
  });
}

}  // namespace

Variable relu(const Variable& x) { return activation(Activation::relu, x, "relu: x"); }

Variable gelu(const Variable& x, Gelu form) {
  const Activation f = form == Gelu::exact ? Activation::gelu_exact : Activation::gelu_tanh;
  return activation(f, x, "gelu: x");
}

Variable silu(const Variable& x) { return activation(Activation::silu, x, "silu: x"); }

Variable tanh(const Variable& x) { return activation(Activation::tanh, x, "tanh: x"); }

Variable sigmoid(const Variable& x) { return activation(Activation::sigmoid, x, "sigmoid: x"); }

}  // namespace heed
