// Numbers to compute with.
#pragma once

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::bench {

// float32 in [-1, 1), a function of the seed.
Tensor random_data(const Shape& shape, uint64_t seed);

// int64 in [0, limit), a function of the seed.
Tensor random_ids(int64_t count, int64_t limit, uint64_t seed);

}  // namespace heed::bench
