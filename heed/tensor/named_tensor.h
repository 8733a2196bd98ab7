// A tensor with its name, as files and states of training hold them.
#pragma once

#include <string>

#include "heed/tensor/tensor.h"

namespace heed {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

}  // namespace heed
