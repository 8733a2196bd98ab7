// What training and tuning have in common: a run from its settings to its end.
#pragma once

#include <functional>
#include <string>

#include "heed/train/given_settings.h"
#include "heed/train/prepared_run.h"
#include "heed/train/run_events.h"

namespace heed {

// The files of a run, which another run in the same folder replaces.
inline constexpr const char* kRunFiles[] = {"state.safetensors", "config.json", "model.safetensors",
                                            "log.jsonl",         "probe.jsonl", "tokenizer.json",
                                            "spm.model"};

// An Error if the folder holds a run that is neither resumed nor overwritten.
void require_free_folder(const std::string& folder, const TrainOptions& options);

// From settings and files to data and a complete configuration: prepare_run, or one like it.
using Prepare = std::function<PreparedRun(const TrainSettings& settings, const std::string& folder,
                                          const RunConfig* saved)>;

// Holds the folder, prepares, makes or loads the model, and trains it to the end of the run.
RunResult run_training(const TrainSettings& settings, const std::string& folder,
                       const Prepare& prepare, RunEvents& events, const TrainOptions& options);

}  // namespace heed
