// Models that demos train, kept in a cache: $XDG_CACHE_HOME/heed, or ~/.cache/heed.
#pragma once

#include <functional>
#include <string>

#include "heed/run/settings.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {

// What the translators of the demos have in common: words as tokens, batches of 64, a rate that
// falls along a cosine after a short warm-up, no regularization, one evaluation at the end.
TrainSettings small_translator(int64_t steps, uint64_t seed);

// What a demo trains.
struct TrainedRun {
  std::string name;        // of its folder in the cache
  std::string data;        // says everything about the data that the run depends on
  TrainSettings settings;  // and all else; another recipe is another run
  std::string what;        // "a fixed context", of the line that says that it is trained
  // Writes the data into the folder and names the files in the settings.
  std::function<void(const std::string& folder, TrainSettings& settings)> write;
};

// The folder of the trained run, from the cache if it is there. A run comes into the cache by one
// rename, so that one that was interrupted is never found.
std::string trained_run(const TrainedRun& wanted);

// Numbers that take a while, from the cache if they are there. `recipe` says everything that they
// depend on.
Tensor kept_numbers(const std::string& name, const std::string& recipe,
                    const std::function<Tensor()>& make);

}  // namespace heed::cli
