// Generation that requests join and leave between two steps: what a server does (continuous
// batching; Yu et al. 2022). Each request has options of its own.
//
//   ContinuousBatcher batcher(model, {.sequences = 16});
//   batcher.add({.request = {.prompt = ids}, .options = {.end = eos}, .done = keep});
//   while (batcher.step()) { /* add others */ }
//
// One thread owns a batcher. What is generated for a request does not depend on the others.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/generation.h"
#include "heed/models/model.h"

namespace heed {

class ThreadChoice;

struct GenerationTask {
  GenerationRequest request;
  GenerateOptions options = {};  // `sequences` and `tokens` do not count: the batcher has its own
  size_t index = 0;              // what on_token and on_beam call the request
  // One of the two is called, inside step(), when the request leaves. They must not throw.
  std::function<void(Generation)> done = {};
  std::function<void(std::exception_ptr)> failed = {};
};

struct BatcherLimits {
  int64_t sequences = 64;  // hypotheses at once at most
  int64_t tokens = 0;      // of sources and prompts at once at most; 0: any number
  // Waits until a quarter of the places is free before others enter: reading several sources at
  // once is faster, if nobody waits for the first token.
  bool gathers = false;
  // Steps on one thread where all of them are not faster: short steps, or a machine that has other
  // work. The bits are the same.
  bool chooses_threads = false;
};

class HEED_API ContinuousBatcher {
 public:
  explicit ContinuousBatcher(const Model& model, const BatcherLimits& limits = {});
  ~ContinuousBatcher();
  ContinuousBatcher(const ContinuousBatcher&) = delete;
  ContinuousBatcher& operator=(const ContinuousBatcher&) = delete;

  // The request waits until there is room, in the order of the calls. Options that cannot be meant
  // and prompts that cannot be read are an Error.
  void add(GenerationTask task);

  // Lets canceled requests leave and waiting ones enter, and generates a token for each. False:
  // there is nothing to generate.
  bool step();

  int64_t live() const;
  int64_t waiting() const { return static_cast<int64_t>(waiting_.size()); }

 private:
  struct Entry;
  using Tasks = std::vector<std::unique_ptr<GenerationTask>>;

  void cancel();
  void admit();
  Tasks pick();
  void advance(std::vector<Entry>& group);
  void advance_all(std::vector<Entry>& group);
  void read(std::vector<Entry>& group);
  void leave(Entry& entry);

  BatcherLimits limits_;
  std::unique_ptr<Decoding> decoding_;
  std::deque<std::unique_ptr<GenerationTask>> waiting_;
  std::vector<Entry> live_;
  std::unique_ptr<ThreadChoice> choice_;  // if limits_.chooses_threads
};

}  // namespace heed
