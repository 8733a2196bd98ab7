// Threads that serve one connection each: started when they are needed, reused, never more than a
// given number.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heed::server {

class ConnectionThreads {
 public:
  explicit ConnectionThreads(int max) : max_(max) {}
  ~ConnectionThreads() { join(); }
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  // Runs the task on a thread of its own; false if all are busy.
  bool start(const std::function<void()>& task);
  void join();  // waits for all tasks

 private:
  void work();

  const int max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::vector<std::function<void()>> tasks_;  // that wait for an idle thread
  int idle_ = 0;
  bool is_over_ = false;
};

}  // namespace heed::server
