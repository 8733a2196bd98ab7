// Dates as people write them, and as ISO 8601 does.
//
//   "Sunday, the 3rd of May 1997"  ->  "1997-05-03"
//
// Days of 1900 to 2099 in words and numbers, with names of months in full and short, weekdays (the
// right ones), ordinals, in mixed, lower and upper case. Every text means one day:
//
//   03.05.1997, 3.5.97    dots: the day first
//   5/3/1997, 05/03/97    slashes: the month first
//   1997-5-3, 1997/05/03  a year of four digits in front: year, month, day
//   '97, 97               69 to 99 mean 1969 to 1999, 00 to 68 mean 2000 to 2068
//
// No day of one part occurs in another.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"

namespace heed {

HEED_API TextPair date_pair(CorpusPart part, uint64_t seed, int64_t index);

}  // namespace heed
