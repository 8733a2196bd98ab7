// States as lists of named tensors.
#pragma once

#include <span>
#include <string>

#include "heed/tensor/named_tensor.h"

namespace heed {

// Copies `saved` into `state`, tensor by tensor. An error, before anything is changed, if the two
// do not have exactly the same names, shapes and types. `who` stands for the owner in messages.
void copy_state(std::span<const NamedTensor> state, std::span<const NamedTensor> saved,
                const std::string& who);

}  // namespace heed
