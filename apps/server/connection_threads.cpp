#include "apps/server/connection_threads.h"

namespace heed::server {

bool ConnectionThreads::start(const std::function<void()>& task) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return false;
  const bool has_idle = idle_ > static_cast<int>(tasks_.size());
  if (!has_idle && static_cast<int>(threads_.size()) >= max_) return false;
  tasks_.push_back(task);
  if (!has_idle) {
    ++idle_;  // the new one, until it takes the task
    threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
  return true;
}

void ConnectionThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.back());
    tasks_.pop_back();
    --idle_;
    lock.unlock();
    task();
    lock.lock();
    ++idle_;
  }
}

void ConnectionThreads::join() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace heed::server
