#include "heed/ops/relu.h"

#include "heed/ops/activation_internal.h"

namespace heed {

Variable relu(const Variable& x) { return activation(Activation::relu, x, "relu: x"); }

}  // namespace heed
