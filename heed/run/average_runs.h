// The mean of the weights of several runs, as a model of its own.
//
//   w = (w_1 + .. + w_n) / n        for every parameter, summed in double in the order of the runs
//
// It makes sense for runs that have the same ancestor (--init-from), or for copies of one run at
// different steps; runs that began with different numbers have nothing in common to average.
#pragma once

#include <span>
#include <string>

#include "heed/base/export.h"

namespace heed {

// The runs must have the same model, labels and tokenizer. `output` becomes a folder with the
// configuration and the tokenizer of the first, and the mean of the weights.
HEED_API void average_runs(std::span<const std::string> folders, const std::string& output);

}  // namespace heed
