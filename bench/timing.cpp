#include "bench/timing.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace heed::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double run_task(const Task& task) {
  if (task.prepare) task.prepare();
  const Clock::time_point begin = Clock::now();
  task.work();
  return milliseconds_since(begin);
}

// Whether a task that took these times, `elapsed` ms including what was not timed, is done.
bool is_enough(const std::vector<double>& times, double elapsed, const TimingOptions& options) {
  const auto count = static_cast<int64_t>(times.size());
  if (count >= 2 && elapsed > options.max_seconds * 1e3) return true;
  const double total = std::accumulate(times.begin(), times.end(), 0.0);
  return count >= options.runs && total >= options.seconds * 1e3;
}

}  // namespace

Timing summarize(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  const size_t n = milliseconds.size();
  const double middle = milliseconds[n / 2];
  const double median = n % 2 == 1 ? middle : (middle + milliseconds[n / 2 - 1]) / 2;
  return {milliseconds.front(), median, static_cast<int64_t>(n)};
}

TimedRun timed(Task task) {
  return [task = std::move(task)] { return run_task(task); };
}

std::vector<Timing> measure_alternating(std::span<const TimedRun> runs,
                                        const TimingOptions& options) {
  for (int64_t i = 0; i < options.warm_up; ++i) {
    for (const auto& one : runs) one();
  }
  const Clock::time_point begin = Clock::now();
  const auto share = static_cast<double>(std::max<size_t>(runs.size(), 1));
  std::vector<std::vector<double>> times(runs.size());
  const auto all_done = [&] {
    const double elapsed = milliseconds_since(begin) / share;
    return std::all_of(times.begin(), times.end(), [&](const std::vector<double>& of_task) {
      return is_enough(of_task, elapsed, options);
    });
  };
  do {
    for (size_t i = 0; i < runs.size(); ++i) times[i].push_back(runs[i]());
  } while (!all_done());
  std::vector<Timing> results;
  results.reserve(times.size());
  for (std::vector<double>& of_task : times) results.push_back(summarize(std::move(of_task)));
  return results;
}

std::vector<Timing> measure_alternating(std::span<const Task> tasks, const TimingOptions& options) {
  std::vector<TimedRun> runs;
  runs.reserve(tasks.size());
  for (const Task& task : tasks) runs.push_back(timed(task));
  return measure_alternating(runs, options);
}

Timing measure(const Task& task, const TimingOptions& options) {
  return measure_alternating(std::span(&task, 1), options).front();
}

Timing measure(const Work& work, const TimingOptions& options) {
  return measure(Task{.work = work}, options);
}

}  // namespace heed::bench
