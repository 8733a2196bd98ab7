// How fast a run would be: on a model that is thrown away, so that the run itself is the one that
// no one has measured.
#pragma once

#include <functional>
#include <string>

#include "heed/train/prepared_run.h"
#include "heed/train/time_plan.h"

namespace heed {

using Clock = std::function<double()>;  // seconds

// `clock` itself, or that of the machine if it is empty.
Clock clock_or_default(Clock clock);

struct SpeedOptions {
  std::string folder;          // where checkpoints will be written
  EvaluateOptions validation;  // how validations will be made
  double budget = 0;           // seconds of the run; measuring steps takes about 2 % of it
};

// Makes some steps, a validation and a checkpoint. The clock is read once after each.
Speed measure_speed(const PreparedRun& prepared, const SpeedOptions& options, const Clock& clock);

}  // namespace heed
