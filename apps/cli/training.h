// A training run from its settings to its end, as the commands train and tour make it.
#pragma once

#include <string>

#include "heed/train/training_run.h"
#include "heed/train/settings.h"

namespace heed::cli {

struct TrainingRequest {
  TrainSettings settings;
  std::string folder;
  bool resume = false;  // otherwise what the folder holds of another run is replaced
  bool quiet = false;   // no progress; errors still come
  // The folder is only a workshop: its name is not told, and an interrupted run is not kept.
  bool is_temporary = false;
};

// Says on stderr what it chose and how it goes. An interrupted run is saved, says how to go on, and
// raises Interrupted.
RunResult run_training(const TrainingRequest& request);

}  // namespace heed::cli
