#include "heed/ops/sigmoid.h"

#include "heed/ops/activation_internal.h"

namespace heed {

Variable sigmoid(const Variable& x) { return activation(Activation::sigmoid, x, "sigmoid: x"); }

}  // namespace heed
