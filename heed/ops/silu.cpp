#include "heed/ops/silu.h"

#include "heed/ops/activation_internal.h"

namespace heed {

Variable silu(const Variable& x) { return activation(Activation::silu, x, "silu: x"); }

}  // namespace heed
