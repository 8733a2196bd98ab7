// From settings and files to a run that tunes a trained language model. Each gives what prepare_run
// gives for training: the same trainer, checkpoints and log do the rest.
//
//   finetune   conversations, the cross entropy of the answers
//   reward     rankings; a scalar on the last state of the model, plackett_luce.h
//   align      reinforce, ppo: prompts and a reward model; dpo: rankings
#pragma once

#include "heed/base/export.h"
#include "heed/train/prepare_run.h"
#include "heed/tuning/judge.h"

namespace heed {

// settings.base is the run that is tuned; `saved` as for prepare_run.
HEED_API PreparedRun prepare_finetune(const TrainSettings& settings, const std::string& folder,
                                      const RunConfig* saved = nullptr);
HEED_API PreparedRun prepare_reward(const TrainSettings& settings, const std::string& folder,
                                    const RunConfig* saved = nullptr);
// settings.judge is a name, kept with the run, and `judge` what it stands for.
HEED_API PreparedRun prepare_align(const TrainSettings& settings, const std::string& folder,
                                   const RunConfig* saved = nullptr, const Judge& judge = {});

}  // namespace heed
