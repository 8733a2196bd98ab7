// A run that is to take a certain time: its steps are chosen by the speed that is measured.
#pragma once

#include <string>

#include "heed/train/measure_speed_internal.h"
#include "heed/train/prepared_run.h"
#include "heed/train/run_events.h"

namespace heed {

class TimeFit {
 public:
  // The time begins now.
  TimeFit(double seconds, const Clock& clock);

  // Settings to prepare with while the number of steps is not known.
  static TrainSettings provisional(const TrainSettings& given);

  // Measures, and completes the settings as if the steps that fit had been asked for.
  void choose_steps(PreparedRun& prepared, const std::string& folder,
                    const EvaluateOptions& validation, RunEvents& events) const;

 private:
  double seconds_;
  Clock clock_;
  double begin_;
};

}  // namespace heed
