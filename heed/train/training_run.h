// A run: the training loop with validation, checkpoints, a log, early stopping and interruption.
//
// state.safetensors alone resumes a run. It is written to a temporary name and renamed, so that a
// crash at any instant leaves the old one or the new one. What a run computes does not depend on
// where it was interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heed/base/export.h"
#include "heed/run/task.h"
#include "heed/train/evaluation.h"
#include "heed/train/run_events.h"
#include "heed/train/trainer.h"

namespace heed {

struct RunOptions {
  std::string folder;
  int64_t eval_every = 0;  // steps; 0: only at the end
  int64_t save_every = 0;  // steps; 0: with each validation
  int64_t log_every = 10;
  int64_t patience = 0;         // validations without improvement before it stops; 0: never
  std::string metric = "loss";  // what the best model is chosen by; ties go to the lower loss
  bool only_trained = false;    // the model is exported without its frozen parameters
  uint64_t fingerprint = 0;     // of the data: a checkpoint of other data is an Error
  // A line of probe.jsonl (attention_trace.h), asked for before the first step and at each
  // validation; empty: there is no such file.
  std::function<std::string(int64_t step)> probe = {};
};

using Evaluate = std::function<Evaluation()>;

class HEED_API TrainingRun {
 public:
  TrainingRun(const Model& model, Trainer& trainer, Evaluate evaluate, const RunOptions& options);
  ~TrainingRun();

  // Takes up the checkpoint of the folder. False if there is none.
  bool resume();
  // Whether the checkpoint was of a run that had come to its end.
  bool was_finished() const;

  RunResult go(RunEvents& events);

 private:
  struct Progress;

  bool wants_evaluation(int64_t step) const;
  std::string evaluate_now(RunEvents& events);  // and saves; why to stop, or nothing
  void save(RunEvents& events);
  void remember_best();
  void check_best(const std::vector<NamedTensor>& best, const std::string& path) const;

  const Model& model_;
  Trainer& trainer_;
  Evaluate evaluate_;
  RunOptions options_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace heed
