#include "heed/generate/engine.h"

#include <exception>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"

namespace heed {

Engine::Engine(std::vector<const Model*> models, const EngineOptions& options)
    : models_(std::move(models)), options_(options), writers_(models_.size()) {
  check(options.queue >= 0 && options.sequences > 0,
        "engine: a queue of {} and {} sequences at once; expected 0 or more, and 1 or more",
        options.queue, options.sequences);
  const int count = options.threads > 0 ? options.threads : threads();
  thread_ = std::thread([this, count] { work(count); });
}

Engine::~Engine() { stop(); }

void Engine::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

EngineCounts Engine::counts() const {
  const std::lock_guard lock(mutex_);
  EngineCounts counts = counts_;
  counts.queued += static_cast<int64_t>(inbox_.size() + jobs_.size());
  return counts;
}

// With the mutex held.
bool Engine::is_full() const {
  const int64_t waiting = counts_.queued + static_cast<int64_t>(inbox_.size() + jobs_.size());
  return stopping_ || waiting >= options_.queue;
}

bool Engine::write(size_t model, WritingTask task) {
  check(model < models_.size(), "engine: there is no model {}", model);
  const std::lock_guard lock(mutex_);
  if (is_full()) return false;
  inbox_.push_back({model, std::move(task)});
  changed_.notify_one();
  return true;
}

bool Engine::run(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (is_full()) return false;
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void Engine::take(std::vector<Waiting> fresh) {
  for (Waiting& one : fresh) {
    const auto failed = one.task.failed;
    try {
      auto& writer = writers_[one.model];
      if (!writer) {
        writer = std::make_unique<ContinuousWriter>(
            *models_[one.model],
            WriterLimits{.sequences = options_.sequences, .chooses_threads = true});
      }
      writer->add(std::move(one.task));
    } catch (...) {
      if (failed) failed(std::current_exception());
    }
  }
}

// One step of every model that writes; false: none does.
bool Engine::step() {
  EngineCounts now;
  for (const auto& writer : writers_) {
    if (!writer || writer->live() + writer->waiting() == 0) continue;
    writer->step();
    ++now.steps;
    now.rows += writer->live();
    now.running += writer->live();
    now.queued += writer->waiting();
  }
  const std::lock_guard lock(mutex_);
  counts_.queued = now.queued;
  counts_.running = now.running;
  counts_.steps += now.steps;
  counts_.rows += now.rows;
  return now.running + now.queued > 0;
}

void Engine::work(int threads) {
  set_threads(threads);
  bool is_writing = false;
  while (true) {
    std::vector<Waiting> fresh;
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock,
                    [&] { return is_writing || stopping_ || !inbox_.empty() || !jobs_.empty(); });
      if (stopping_ && !is_writing && inbox_.empty() && jobs_.empty()) return;
      fresh.swap(inbox_);
      counts_.queued += static_cast<int64_t>(fresh.size());
      if (!jobs_.empty()) {
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
    }
    take(std::move(fresh));
    is_writing = step();
    if (job) job();
  }
}

}  // namespace heed
