// Scores of a tuned model on data that it has not seen.
//
//   a reward model    rankings: the scores of preference_report.h
//   a model that answers    prompts: one drawn answer to each, the scores of answer_report.h
//                           conversations: the loss of their answers, as heed finetune has it
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/run_folder.h"
#include "heed/train/prepare_run.h"
#include "heed/tuning/judge.h"

namespace heed {

// How answers are measured, beside their length and entropy.
struct AnswerEvaluation {
  Judge judge = {};         // or empty
  std::string reward = {};  // a reward model; empty: the one that the run was aligned with, if any
  int64_t max_tokens = 0;   // of an answer; 0: those of the run, or 64
};

// Records that cannot be used are an error, or counted in a note if the run has --bad-records
// skip.
HEED_API std::unique_ptr<TaskData> reward_evaluation(const LoadedRun& run, const std::string& file,
                                                     std::vector<std::string>& notes);

// The KL is that to the model that the run began with; there is none for a run that heed align has
// not made.
HEED_API std::unique_ptr<TaskData> answer_evaluation(const LoadedRun& run, const std::string& file,
                                                     const AnswerEvaluation& options,
                                                     std::vector<std::string>& notes);

HEED_API std::unique_ptr<TaskData> dialogue_evaluation(const LoadedRun& run,
                                                       const std::string& file,
                                                       std::vector<std::string>& notes);

}  // namespace heed
