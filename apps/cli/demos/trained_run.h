// Models that demos train, kept in a cache: $XDG_CACHE_HOME/heed, or ~/.cache/heed.
#pragma once

#include <functional>
#include <string>

namespace heed::cli {

// The folder of the run that `train(folder)` makes, from the cache if it is there. `recipe` says
// everything that the run depends on; another recipe is another run. A run comes into the cache by
// one rename, so that one that was interrupted is never found.
std::string trained_run(const std::string& name, const std::string& recipe,
                        const std::function<void(const std::string& folder)>& train);

}  // namespace heed::cli
