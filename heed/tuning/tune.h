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

#include <functional>
#include <string>

#include "heed/base/export.h"
#include "heed/train/train.h"
#include "heed/tuning/judge.h"

namespace heed {

// Conversations: the model learns to answer.
HEED_API RunResult finetune(const GivenSettings& given, const std::string& folder,
                            RunEvents& events, const TrainOptions& options = {});

// Rankings of answers: the model learns to score an answer.
HEED_API RunResult train_reward(const GivenSettings& given, const std::string& folder,
                                RunEvents& events, const TrainOptions& options = {});

using FindJudge = std::function<Judge(const std::string& name)>;

// Prompts and a reward model (reinforce, ppo), or rankings (dpo): the model learns to answer as
// people prefer. `judges` finds the judge that the settings name; it is asked only if they do.
HEED_API RunResult align(const GivenSettings& given, const std::string& folder, RunEvents& events,
                         const TrainOptions& options = {}, const FindJudge& judges = {});

}  // namespace heed
