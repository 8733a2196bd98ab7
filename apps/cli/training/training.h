// How a training run is shown: its progress, its page, its end. The run itself is heed::train, or
// one of heed/tuning/tune.h.
#pragma once

#include <functional>
#include <string>

#include "heed/train/train.h"

namespace heed::cli {

struct ShownTraining {
  std::string folder;
  std::string command = "train";  // what goes on after an interruption
  bool quiet = false;             // no progress; errors still come
  int view_port = -1;  // where the page shows the run while it trains; 0: any port, -1: nowhere
  // The folder is only a workshop: its name is not told, and an interrupted run is not kept.
  bool is_temporary = false;
};

// Trains by `train` and says on stderr what was chosen and how it goes. An interrupted run is
// saved, says how to go on, and raises Interrupted.
RunResult show_training(const ShownTraining& shown,
                        const std::function<RunResult(RunEvents& events)>& train);

// A small model of the program's own, in a workshop of its own.
RunResult train_in_workshop(const TrainSettings& settings, const std::string& folder,
                            bool quiet = false);

}  // namespace heed::cli
