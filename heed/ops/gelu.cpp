#include "heed/ops/gelu.h"

#include "heed/ops/activation_internal.h"

namespace heed {

Variable gelu(const Variable& x, Gelu form) {
  const Activation f = form == Gelu::exact ? Activation::gelu_exact : Activation::gelu_tanh;
  return activation(f, x, "gelu: x");
}

}  // namespace heed
