// Short news reports and their summaries.
//
//   "The chess tournament took place in Oakford on Monday. Tom Hill came second. The weather was
//    fine. Anna Keller came first. 14 people came to watch. Nobody had ever been better."
//   ->  "Anna Keller won the chess tournament in Oakford on Monday. It was a record."
//
// A report has 5 to 10 sentences about a contest, an accident or an opening. Two or three of them
// hold the facts that matter, each said in several ways:
//
//   contest    what, where, when; who won; whether it was a record
//   accident   what, where, when; how many were hurt; the cause, if it is known
//   opening    what, where, when; by whom; the price, if it is known
//
// The summary is a function of these. The other sentences name other people, places, days and
// numbers, which must not get into it.
//
// No report of `test` occurs in `train`.
#pragma once

#include <cstdint>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"

namespace heed {

HEED_API TextPair report_pair(CorpusPart part, uint64_t seed, int64_t index);

}  // namespace heed
