// A training run from its settings to its end, as the commands train and tour make it.
#pragma once

#include <functional>
#include <string>

#include "heed/train/prepare.h"
#include "heed/run/settings.h"
#include "heed/train/training_run.h"

namespace heed::cli {

// The files of a run, which another run in the same folder replaces.
inline constexpr const char* kRunFiles[] = {"state.safetensors", "config.json", "model.safetensors",
                                            "log.jsonl",         "probe.jsonl", "tokenizer.json",
                                            "spm.model"};

struct TrainingRequest {
  TrainSettings settings;
  std::string folder;
  bool resume = false;  // otherwise what the folder holds of another run is replaced
  bool quiet = false;   // no progress; errors still come
  int view_port = -1;   // where the page shows the run while it trains; 0: any port, -1: nowhere
  // The folder is only a workshop: its name is not told, and an interrupted run is not kept.
  bool is_temporary = false;
  bool is_watched = true;         // keeps where it looks as it learns (probe.jsonl)
  std::string command = "train";  // what goes on after an interruption
  // Reads the data; empty: prepare_run.
  std::function<PreparedRun(const TrainSettings&, const std::string& folder, const RunConfig*)>
      prepare = {};
};

// Says on stderr what it chose and how it goes. An interrupted run is saved, says how to go on, and
// raises Interrupted.
RunResult run_training(const TrainingRequest& request);

}  // namespace heed::cli
