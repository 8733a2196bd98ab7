#include "heed/generate/inference_worker.h"

#include <exception>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"

namespace heed {

InferenceWorker::InferenceWorker(std::vector<const Model*> models,
                                 const InferenceWorkerOptions& options)
    : models_(std::move(models)), options_(options), batchers_(models_.size()) {
  check(options.queue >= 0 && options.sequences > 0,
        "engine: a queue of {} and {} sequences at once; expected 0 or more, and 1 or more",
        options.queue, options.sequences);
  const int count = options.threads > 0 ? options.threads : threads();
  thread_ = std::thread([this, count] { work(count); });
}

InferenceWorker::~InferenceWorker() { stop(); }

void InferenceWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

InferenceWorkerCounts InferenceWorker::counts() const {
  const std::lock_guard lock(mutex_);
  InferenceWorkerCounts counts = counts_;
  counts.queued += static_cast<int64_t>(inbox_.size() + jobs_.size());
  return counts;
}

// With the mutex held.
bool InferenceWorker::is_full() const {
  const int64_t waiting = counts_.queued + static_cast<int64_t>(inbox_.size() + jobs_.size());
  return stopping_ || waiting >= options_.queue;
}

bool InferenceWorker::generate(size_t model, GenerationTask task) {
  check(model < models_.size(), "engine: there is no model {}", model);
  const std::lock_guard lock(mutex_);
  if (is_full()) return false;
  inbox_.push_back({model, std::move(task)});
  changed_.notify_one();
  return true;
}

bool InferenceWorker::run(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (is_full()) return false;
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void InferenceWorker::take(std::vector<Waiting> fresh) {
  for (Waiting& one : fresh) {
    const auto failed = one.task.failed;
    try {
      auto& batcher = batchers_[one.model];
      if (!batcher) {
        batcher = std::make_unique<ContinuousBatcher>(
            *models_[one.model],
            BatcherLimits{.sequences = options_.sequences, .chooses_threads = true});
      }
      batcher->add(std::move(one.task));
    } catch (...) {
      if (failed) failed(std::current_exception());
    }
  }
}

// One step of every model that generates; false: none does.
bool InferenceWorker::step() {
  InferenceWorkerCounts now;
  for (const auto& batcher : batchers_) {
    if (!batcher || batcher->live() + batcher->waiting() == 0) continue;
    batcher->step();
    ++now.steps;
    now.rows += batcher->live();
    now.running += batcher->live();
    now.queued += batcher->waiting();
  }
  const std::lock_guard lock(mutex_);
  counts_.queued = now.queued;
  counts_.running = now.running;
  counts_.steps += now.steps;
  counts_.rows += now.rows;
  return now.running + now.queued > 0;
}

void InferenceWorker::work(int threads) {
  set_threads(threads);
  bool is_generating = false;
  while (true) {
    std::vector<Waiting> fresh;
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(
          lock, [&] { return is_generating || stopping_ || !inbox_.empty() || !jobs_.empty(); });
      if (stopping_ && !is_generating && inbox_.empty() && jobs_.empty()) return;
      fresh.swap(inbox_);
      counts_.queued += static_cast<int64_t>(fresh.size());
      if (!jobs_.empty()) {
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
    }
    take(std::move(fresh));
    is_generating = step();
    if (job) job();
  }
}

}  // namespace heed
