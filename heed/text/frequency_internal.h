// A vocabulary of what is most frequent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/text/token_file_internal.h"

namespace heed {

struct CountedToken {
  std::string text;
  int64_t count = 0;
};

// The special tokens, unknown first, then the tokens by falling count; equal counts in the order of
// their bytes. At most `size` in all; 0: no limit.
TokenFile most_frequent(std::vector<CountedToken> tokens, int64_t size);

}  // namespace heed
