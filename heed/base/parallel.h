// Threads. heed cuts work into tasks whose number and contents never depend on the number of
// threads, so results are the same bits for any setting.
#pragma once

#include <cstdint>
#include <functional>

#include "heed/base/export.h"

namespace heed {

// Threads used by the calling thread's parallel work; at most 1024. The default is what
// HEED_THREADS in the environment says, or else OMP_NUM_THREADS, or else the number of cores this
// process may run on. Threads of the caller's own have a number each, and each puts so many to
// work: a program that keeps all cores busy itself says set_threads(1) in each of its threads.
HEED_API int threads();
HEED_API void set_threads(int count);

// Sets the number of threads for a scope.
class HEED_API ThreadScope {
 public:
  explicit ThreadScope(int count) : before_(threads()) { set_threads(count); }
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// Work below this many nanoseconds (a rough estimate by the caller) stays on one thread: waking a
// sleeping team costs about 36 us, a spinning one 1 to 2 us.
inline constexpr double kParallelWork = 20e3;

// Calls task(i) for i in [0, tasks), on all threads if `nanoseconds`, the estimated time of the
// whole, is worth it. A thread takes a part of the tasks in order, then what others have left. The
// first exception is rethrown after all have ended. Inside a task, nested calls run on the task's
// own thread.
HEED_API void parallel_for(int64_t tasks, double nanoseconds,
                           const std::function<void(int64_t)>& task);

// Index of the calling thread inside the innermost parallel_for, below what threads() was when that
// was called; 0 outside.
HEED_API int thread_index();

}  // namespace heed
