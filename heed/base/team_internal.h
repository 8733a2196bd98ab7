// The threads behind parallel_for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace heed {

// Threads that wait for work and share it with the thread that made them.
//
// A member that comes late is not waited for: the caller of run() takes all that is left to do,
// closes the round and waits only for those that have begun. A waiting thread spins for a moment
// only, then offers its core to others, then sleeps. Teams whose rounds wait for every thread,
// spinning for milliseconds, would make two programs on the same cores, or one with more threads
// than free cores, fifty times slower instead of twice.
class Team {
 public:
  // Of this many threads, the caller's included; of fewer, if the system gives no more.
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }

  // Calls work(0) on this thread and, if they come in time, work(1) to work(size - 1), each at most
  // once, on the others; returns when all that began have ended. `work` does not throw. Only for
  // the thread that made the team, and not inside of `work`.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int index);

  // What all agree on, in one number: the round, whether the team is to end, whether the round is
  // open, and how many of the others are in it.
  std::atomic<uint32_t> state_ = 0;
  const std::function<void(int)>* work_ = nullptr;
  int size_;
  int process_;
  std::vector<std::thread> others_;
};

}  // namespace heed
