#include "heed/base/parallel.h"

#include <omp.h>

#include <atomic>
#include <exception>

#include "heed/base/fail_internal.h"

namespace heed {

int threads() { return omp_get_max_threads(); }

void set_threads(int count) {
  check(count >= 1 && count <= 1024, "threads: expected 1 to 1024, got {}", count);
  omp_set_num_threads(count);
}

int thread_index() { return omp_get_thread_num(); }

void parallel_for(int64_t tasks, double nanoseconds, const std::function<void(int64_t)>& task) {
  if (tasks <= 0) return;
  // Always the same team: one of another size would have OpenMP end and start threads every time.
  const int team = threads();
  if (team == 1 || tasks == 1 || nanoseconds < kParallelWork || omp_in_parallel()) {
    for (int64_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  std::exception_ptr error;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (int64_t i = 0; i < tasks; ++i) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
      task(i);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace heed
