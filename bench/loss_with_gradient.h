// Backward by itself: a recorded output together with its gradient.
#pragma once

#include <vector>

#include "heed/autograd/variable.h"

namespace heed::bench {

// A loss whose gradient with respect to y is the given dy; its value is not computed.
inline Variable loss_with_gradient(const Variable& y, const Tensor& dy) {
  return record(Tensor::zeros({1}), {y}, [dy](const Tensor&) { return std::vector<Tensor>{dy}; });
}

}  // namespace heed::bench
