// The low-rank adapters of a run (nn/parameters.h) added to its matrices: a model like any other,
// that gives the same answers and needs no other folder.
//
//   W' = W + down up
#pragma once

#include <string>

#include "heed/base/export.h"

namespace heed {

// An Error if the run has no adapters. `output` becomes a run folder.
HEED_API void merge_adapters(const std::string& folder, const std::string& output);

}  // namespace heed
