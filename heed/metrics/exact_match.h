// The share of answers, and of tokens, that are exactly right.
//
//   exact match      texts that are equal to the expected one, byte for byte, apart from white
//                    space at both ends
//   token accuracy   positions whose id is the expected one, over all positions whose expected id
//                    is not `ignored`
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "heed/base/export.h"
#include "heed/metrics/proportion.h"

namespace heed {

HEED_API Proportion exact_match(std::span<const std::string> predicted,
                                std::span<const std::string> expected);

HEED_API Proportion token_accuracy(std::span<const int32_t> predicted,
                                   std::span<const int32_t> expected, int32_t ignored = -1);

}  // namespace heed
