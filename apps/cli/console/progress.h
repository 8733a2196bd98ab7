// The progress of a training run on stderr: a bar in a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/console/progress_line.h"
#include "heed/train/training_run.h"

namespace heed::cli {

struct ProgressOptions {
  bool quiet = false;
  int64_t total_steps = 0;
  int64_t first_step = 0;    // where a resumed run goes on
  std::string unit = "tok";  // of what is counted in the speed
};

// Finishes the step and stops the run on SIGINT or SIGTERM; a second signal ends the program at
// once. Nor does it end the program that nobody reads its messages any more. Only one exists at a
// time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static bool received();

 private:
  using Handler = void (*)(int);
  Handler interrupt_before_, terminate_before_, pipe_before_;
};

class TrainingProgress final : public RunEvents {
 public:
  explicit TrainingProgress(const ProgressOptions& options);
  ~TrainingProgress() override;

  void stepped(const StepReport& report) override;
  void evaluated(int64_t step, const Evaluation& evaluation, bool is_best) override;
  bool stop_requested() override { return StopSignals::received(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<LinePart> parts(const StepReport& report) const;
  void clear_bar();
  void draw(const StepReport& report);

  ProgressOptions options_;
  bool terminal_;
  bool bar_shown_ = false;
  double loss_ = 0;   // smoothed, for the eye
  double speed_ = 0;  // tokens per second, likewise
  int64_t seen_ = 0;  // steps of this process
  Clock::time_point begin_, last_step_, last_shown_;
};

// "1:23:45", "2:05", "7 s".
std::string duration_text(double seconds);

// A sample in one line of a terminal: cut, control characters as spaces.
std::string sample_line(const std::string& sample);

}  // namespace heed::cli
