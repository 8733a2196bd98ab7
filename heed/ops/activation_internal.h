// The tape hook that all activation functions share.
#pragma once

#include "heed/autograd/variable.h"
#include "heed/base/activation.h"

namespace heed {

// y_i = f(x_i), dx_i = dy_i f'(x_i); keeps x. `what` names the operation in errors.
Variable activation(Activation f, const Variable& x, const char* what);

}  // namespace heed
