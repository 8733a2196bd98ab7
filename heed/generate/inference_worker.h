// One thread that owns the models: many threads ask, it computes, step by step.
//
//   InferenceWorker worker({&model});
//   worker.generate(0, {.request = ..., .done = ...});  // joins the others at the next step
//   worker.run([&] { ... });                            // runs between two steps
//
// The queue is bounded: a call that finds it full returns false at once, so that the caller can
// tell its client to come back later. All callbacks run on the worker's thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/continuous_batcher.h"

namespace heed {

struct InferenceWorkerOptions {
  int64_t queue = 256;     // requests that wait at most
  int64_t sequences = 64;  // hypotheses generated at once at most, per model
  // Of the arithmetic at most; 0: as many as the thread that makes the worker has. Steps that one
  // thread makes as fast are made by one.
  int threads = 0;
};

struct InferenceWorkerCounts {
  int64_t queued = 0;   // requests that wait
  int64_t running = 0;  // requests that are being generated
  int64_t steps = 0;    // of all models, so far
  int64_t rows = 0;     // requests advanced by these steps; rows / steps is the mean batch
};

class HEED_API InferenceWorker {
 public:
  // A model that does not predict tokens may be among them; generate() for it fails. The models
  // must outlive the worker.
  explicit InferenceWorker(std::vector<const Model*> models,
                           const InferenceWorkerOptions& options = {});
  ~InferenceWorker();  // stop()
  InferenceWorker(const InferenceWorker&) = delete;
  InferenceWorker& operator=(const InferenceWorker&) = delete;

  // False: the queue is full, or the worker stops.
  bool generate(size_t model, GenerationTask task);
  bool run(std::function<void()> job);

  void stop();  // takes nothing more, ends what it has, and returns
  InferenceWorkerCounts counts() const;

 private:
  struct Waiting {
    size_t model;
    GenerationTask task;
  };

  void work(int threads);
  void take(std::vector<Waiting> fresh);
  bool step();
  bool is_full() const;

  std::vector<const Model*> models_;
  InferenceWorkerOptions options_;
  std::vector<std::unique_ptr<ContinuousBatcher>> batchers_;  // of the thread

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting> inbox_;
  std::deque<std::function<void()>> jobs_;
  InferenceWorkerCounts counts_;  // queued: inside the batchers
  bool stopping_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace heed
