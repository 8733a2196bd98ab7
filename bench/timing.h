// How long something takes: the best and the median of several runs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heed::bench {

using Work = std::function<void()>;

struct Timing {
  double best_ms = 0;
  double median_ms = 0;
  int64_t runs = 0;
};

struct TimingOptions {
  int64_t warm_up = 1;     // runs that do not count
  int64_t runs = 5;        // at least this many
  double seconds = 0.5;    // and until they have taken this long together
  double max_seconds = 6;  // but after this long, two runs are enough
};

// Something to time. `prepare` runs before every run of `work` and is not timed.
struct Task {
  Work prepare = {};  // may be empty
  Work work;
};

Timing measure(const Work& work, const TimingOptions& options);
Timing measure(const Task& task, const TimingOptions& options);

// A run that tells how many milliseconds it took.
using TimedRun = std::function<double()>;

TimedRun timed(Task task);

// Several tasks, one run of each in turn, so that a machine that gets slower or faster meanwhile
// does so for all of them. The limits of the options hold for each task.
std::vector<Timing> measure_alternating(std::span<const Task> tasks, const TimingOptions& options);
std::vector<Timing> measure_alternating(std::span<const TimedRun> runs,
                                        const TimingOptions& options);

// The best and the median of these runs; at least one.
Timing summarize(std::vector<double> milliseconds);

}  // namespace heed::bench
