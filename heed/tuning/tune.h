// Tuning a trained model, from settings to a new model in a folder: what heed finetune, reward and
// align do.
//
//   heed::TrainSettings settings;
//   settings.base = "book";
//   settings.train = {"dialogues.jsonl"};
//   heed::RunEvents silent;
//   heed::finetune(settings, "assistant", silent);
//
// Runs, checkpoints and resuming are as in train.h.
#pragma once

#include <string>

#include "heed/base/export.h"
#include "heed/train/train.h"

namespace heed {

// Conversations: the model learns to answer.
HEED_API RunResult finetune(const GivenSettings& given, const std::string& folder,
                            RunEvents& events, const TrainOptions& options = {});

// Rankings of answers: the model learns to score an answer.
HEED_API RunResult train_reward(const GivenSettings& given, const std::string& folder,
                                RunEvents& events, const TrainOptions& options = {});

// Prompts and a reward model (reinforce, ppo), or rankings (dpo): the model learns to answer as
// people prefer.
HEED_API RunResult align(const GivenSettings& given, const std::string& folder, RunEvents& events,
                         const TrainOptions& options = {});

}  // namespace heed
