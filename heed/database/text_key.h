// A text as a key: texts that share many short runs of letters have a large dot product.
//
//   runs of 2 and 3 bytes of "^text$", ASCII letters in lower case (single letters are shared by
//   words that have nothing to do with each other)
//   each run adds +1 or -1 at a coordinate; both are a hash of the run
//   the vector is divided by its norm: a text has dot product 1 with itself
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

inline constexpr int64_t kTextKeyWidth = 256;

HEED_API Tensor text_key(std::string_view text, int64_t width = kTextKeyWidth);  // [width]

}  // namespace heed
