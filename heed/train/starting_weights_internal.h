// The weights that a training run begins with: new ones, those of another run, or those of its own
// checkpoint.
#pragma once

#include <string>

#include "heed/models/model.h"
#include "heed/nn/parameters.h"
#include "heed/run/run_folder.h"

namespace heed {

// How many fit in memory with their gradients and moments.
int64_t max_parameters();

// New parameters, or those of another run where they fit. A head that answers with other classes
// is new.
ParameterSource starting_weights(const RunConfig& config);

// The parameters of the checkpoint in the folder, so that those which are frozen are there without
// --init-from; without a checkpoint the same as above.
ParameterSource resumed_weights(RunConfig config, const std::string& folder);

// Every part that --freeze names must be there.
void check_frozen(const Model& model, const std::string& parts);

// What the model took from the run that --init-from names: "14 of 17 parameters from base". An
// Error if that is nothing, or if a part is frozen that was not taken.
std::string taken_weights(const Model& model, const RunConfig& config);

}  // namespace heed
