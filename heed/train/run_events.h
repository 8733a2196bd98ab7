// What a run tells while it goes on, and how it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/export.h"
#include "heed/run/task.h"
#include "heed/train/evaluation.h"

namespace heed {

struct StepReport {
  int64_t step = 0;  // steps made, this one included
  int64_t epoch = 0;
  double loss = 0;           // mean over the labels of the step
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;
  int64_t tokens = 0;                         // rows that went through the model
  int64_t label_count = 0;                    // labels
  std::vector<EvaluationScore> numbers = {};  // what the objective tells of the step
};

// A run that is ready for its next step, if it is not finished.
struct RunStart {
  Task task = Task::none;
  int64_t first_step = 0;   // above 0: it goes on
  int64_t total_steps = 0;  // those made before included
};

// Tells what goes on. None of it changes what is computed.
class HEED_API RunEvents {
 public:
  virtual ~RunEvents() = default;
  virtual void opened(const std::string& /*folder*/) {}  // it is there, and held by this run
  virtual void noted(const std::string& /*text*/) {}     // what was chosen or met, at any time
  virtual void began(const RunStart& /*start*/) {}
  virtual void stepped(const StepReport& /*report*/) {}
  virtual void evaluated(int64_t /*step*/, const Evaluation& /*evaluation*/, bool /*is_best*/) {}
  virtual void saved(int64_t /*step*/) {}
  virtual bool stop_requested() { return false; }  // asked before each step
};

enum class RunEnd : uint8_t { all_steps, no_improvement, interrupted, ran_away };

struct RunResult {
  RunEnd end = RunEnd::all_steps;
  int64_t step = 0;
  int64_t best_step = 0;  // -1: there was no validation
  double best_score = 0;
  std::string metric = {};  // what best_score is of
  std::string reason = {};  // why it stopped early
};

// The loss became NaN, infinite or very large.
class HEED_API Diverged : public Error {
 public:
  using Error::Error;
};

}  // namespace heed
