// A text of the kind that a model was made for, from the folder of its run: what --probe named, or
// the example of the validation data whose attention stands in probe.jsonl.
#pragma once

#include <optional>
#include <string>

#include "heed/run/run_folder.h"

namespace heed::server {

struct RunExample {
  std::string source;
  std::string target = {};  // of a model that writes a text for a text
};

// None if the folder has none that can be read. No other file is looked at, whatever the
// configuration says of the data: the server tells what is in the folders that it was given.
std::optional<RunExample> run_example(const std::string& folder, const LoadedRun& run);

}  // namespace heed::server
