// gather under another name in its messages.
#pragma once

#include "heed/autograd/variable.h"

namespace heed {

Variable gather_as(const char* what, const Variable& x, const Tensor& ids);

}  // namespace heed
