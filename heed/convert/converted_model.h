// A model of another program as one of heed: what a run directory holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/run_folder.h"
#include "heed/tensor/named_tensor.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct ConvertedModel {
  RunConfig config;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<NamedTensor> weights;     // by the names of heed
  std::vector<std::string> notes = {};  // what was left out, to be told
};

// Writes the run directory, which must not hold a run already. The weights are checked against the
// model that the config describes before anything is written.
HEED_API void write_converted(const ConvertedModel& model, const std::string& folder);

}  // namespace heed
