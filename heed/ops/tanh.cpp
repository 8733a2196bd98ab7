#include "heed/ops/tanh.h"

#include "heed/ops/activation_internal.h"

namespace heed {

Variable tanh(const Variable& x) { return activation(Activation::tanh, x, "tanh: x"); }

}  // namespace heed
