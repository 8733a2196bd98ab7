// What the keys and values of a KeyValueCache look like.
#pragma once

#include <cstdint>

#include "heed/tensor/dtype.h"

namespace heed {

struct CacheShape {
  int64_t kv_heads = 1;     // K
  int64_t key_width = 0;    // D, of the keys as append() gets them
  int64_t value_width = 0;  // Dv
  DType type = DType::f32;  // or f64
};

}  // namespace heed
