#include "heed/base/parallel.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

#include "heed/base/default_threads_internal.h"
#include "heed/base/fail.h"
#include "heed/base/team_internal.h"

namespace heed {
namespace {

thread_local int chosen_threads = 0;  // 0: none yet, the default

}  // namespace

int threads() {
  static const int otherwise =
      default_threads(std::getenv("HEED_THREADS"), std::getenv("OMP_NUM_THREADS"), usable_cores());
  return chosen_threads > 0 ? chosen_threads : otherwise;
}

void set_threads(int count) {
  check(count >= 1 && count <= kMaxThreads, "threads: expected 1 to {}, got {}", kMaxThreads,
        count);
  chosen_threads = count;
}

namespace {

// Where a thread is: which of the threads of its innermost parallel_for, and whether that or one
// around it has put several to work.
struct Place {
  int index = 0;
  bool shared = false;
};

thread_local Place current;

class PlaceScope {
 public:
  explicit PlaceScope(Place place) : before_(current) { current = place; }
  ~PlaceScope() { current = before_; }
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;

 private:
  Place before_;
};

// The tasks of one thread, which others take when they have none left. Tasks are rows of tensors as
// a rule: a thread that begins with the same part of them in every operation finds in its cache
// what it wrote in the one before.
struct alignas(64) Share {
  std::atomic<int64_t> next = 0;
  int64_t end = 0;
};

// One call of parallel_for for several threads.
class Work {
 public:
  Work(int64_t tasks, int team, const std::function<void(int64_t)>& task)
      : task_(task), shares_(static_cast<size_t>(team)) {
    for (int64_t t = 0; t < team; ++t) {
      shares_[t].next = tasks * t / team;
      shares_[t].end = tasks * (t + 1) / team;
    }
  }

  // The part of a thread: its own share, then those of the others.
  void take(int index) {
    const PlaceScope member({.index = index, .shared = true});
    if (index > 0) set_threads(static_cast<int>(shares_.size()));  // as the caller has it
    for (size_t turn = 0; turn < shares_.size(); ++turn) {
      Share& share = shares_[(static_cast<size_t>(index) + turn) % shares_.size()];
      for (int64_t i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) {
        if (failed_.load(std::memory_order_relaxed)) continue;
        try {
          task_(i);
        } catch (...) {
          if (!failed_.exchange(true)) error_ = std::current_exception();
        }
      }
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::function<void(int64_t)>& task_;
  std::vector<Share> shares_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr error_;
};

// The calling thread's team, made when it is first needed. Always the same: to end and start
// threads takes longer than most work.
Team& team_of(int size) {
  thread_local std::unique_ptr<Team> team;
  if (!team || team->size() != size) {
    team.reset();
    team = std::make_unique<Team>(size);
  }
  return *team;
}

}  // namespace

int thread_index() { return current.index; }

void parallel_for(int64_t tasks, double nanoseconds, const std::function<void(int64_t)>& task) {
  if (tasks <= 0) return;
  const int team = threads();
  if (team == 1 || tasks == 1 || nanoseconds < kParallelWork || current.shared) {
    const PlaceScope alone({.index = 0, .shared = current.shared});
    for (int64_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  Work work(tasks, team, task);
  team_of(team).run([&work](int index) { work.take(index); });
  work.rethrow();
}

}  // namespace heed
