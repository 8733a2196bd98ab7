// Rows of letters and the same backwards: nothing to translate, but all of it to remember.
//
//   "d a f"  ->  "f a d"
//
// Lengths are uniform from 1 to `longest`, letters from a to j. No text of four letters or more of
// `test` occurs in `train`; of the shorter ones there are too few to divide.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"

namespace heed {

HEED_API TextPair reversed_pair(CorpusPart part, uint64_t seed, int64_t index,
                                int64_t longest = 20);

}  // namespace heed
