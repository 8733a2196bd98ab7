#include "heed/base/parallel.h"

#include <omp.h>

#include <atomic>
#include <exception>
#include <vector>

#include "heed/base/fail_internal.h"

namespace heed {

int threads() { return omp_get_max_threads(); }

void set_threads(int count) {
  check(count >= 1 && count <= 1024, "threads: expected 1 to 1024, got {}", count);
  omp_set_num_threads(count);
}

namespace {

// Which of the threads of its parallel_for this one is. OpenMP's own number would be that of a team
// around it, heed's or the caller's, which may have more threads than this call.
thread_local int current_index = 0;

class IndexScope {
 public:
  explicit IndexScope(int index) : before_(current_index) { current_index = index; }
  ~IndexScope() { current_index = before_; }
  IndexScope(const IndexScope&) = delete;
  IndexScope& operator=(const IndexScope&) = delete;

 private:
  int before_;
};

// The tasks of one thread, which others take when they have none left. Tasks are rows of tensors as
// a rule: a thread that begins with the same part of them in every operation finds in its cache
// what it wrote in the one before.
struct alignas(64) Share {
  std::atomic<int64_t> next = 0;
  int64_t end = 0;
};

}  // namespace

int thread_index() { return current_index; }

void parallel_for(int64_t tasks, double nanoseconds, const std::function<void(int64_t)>& task) {
  if (tasks <= 0) return;
  // Always the same team: one of another size would have OpenMP end and start threads every time.
  const int team = threads();
  if (team == 1 || tasks == 1 || nanoseconds < kParallelWork || omp_in_parallel()) {
    const IndexScope alone(0);
    for (int64_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  std::vector<Share> shares(static_cast<size_t>(team));
  for (int64_t t = 0; t < team; ++t) {
    shares[static_cast<size_t>(t)].next = tasks * t / team;
    shares[static_cast<size_t>(t)].end = tasks * (t + 1) / team;
  }
  std::exception_ptr error;
  std::atomic<bool> failed{false};
#pragma omp parallel num_threads(team)
  {
    const IndexScope member(omp_get_thread_num());
    for (int turn = 0; turn < team; ++turn) {
      Share& share = shares[static_cast<size_t>((current_index + turn) % team)];
      for (int64_t i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) {
        if (failed.load(std::memory_order_relaxed)) continue;
        try {
          task(i);
        } catch (...) {
          if (!failed.exchange(true)) error = std::current_exception();
        }
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace heed
