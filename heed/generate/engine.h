// One thread that owns the models: many threads ask, it computes, step by step.
//
//   Engine engine({&model});
//   engine.write(0, {.request = ..., .done = ...});    // joins the others at the next step
//   engine.run([&] { ... });                           // runs between two steps
//
// The queue is bounded: a call that finds it full returns false at once, so that who asks can tell
// its client to come back later. All callbacks run on the engine's thread.
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
#include "heed/generate/continuous_writer.h"

namespace heed {

struct EngineOptions {
  int64_t queue = 256;     // requests that wait at most
  int64_t sequences = 64;  // hypotheses written at once at most, per model
  // Of the arithmetic at most; 0: as many as the thread that makes the engine has. Steps that one
  // thread makes as fast are made by one.
  int threads = 0;
};

struct EngineCounts {
  int64_t queued = 0;   // requests that wait
  int64_t running = 0;  // requests that are being written
  int64_t steps = 0;    // of all writers, so far
  int64_t rows = 0;     // requests advanced by these steps; rows / steps is the mean batch
};

class HEED_API Engine {
 public:
  // A model that does not predict tokens may be among them; write() for it fails. The models must
  // outlive the engine.
  explicit Engine(std::vector<const Model*> models, const EngineOptions& options = {});
  ~Engine();  // stop()
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // False: the queue is full, or the engine stops.
  bool write(size_t model, WritingTask task);
  bool run(std::function<void()> job);

  void stop();  // takes nothing more, ends what it has, and returns
  EngineCounts counts() const;

 private:
  struct Waiting {
    size_t model;
    WritingTask task;
  };

  void work(int threads);
  void take(std::vector<Waiting> fresh);
  bool step();
  bool is_full() const;

  std::vector<const Model*> models_;
  EngineOptions options_;
  std::vector<std::unique_ptr<ContinuousWriter>> writers_;  // of the thread

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting> inbox_;
  std::deque<std::function<void()>> jobs_;
  EngineCounts counts_;  // queued: inside the writers
  bool stopping_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace heed
