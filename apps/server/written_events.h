// What the engine writes for one request, on its way to the thread that waits for it.
//
//   WrittenEvents events(service, request);
//   events.start(model, prepare_writing(model.pipeline, "Once upon", options), options);
//   while (const auto event = events.next()) { ... }
//
// The writing is canceled when this object goes, when the client goes, and when the time is over.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "apps/server/service.h"
#include "heed/pipeline/text_writing.h"

namespace heed::server {

struct WrittenEvent {
  enum class Kind : uint8_t { token, beam, done } kind;
  size_t text = 0;  // which of the texts that were started
  TextToken token = {};
  std::vector<TokenProbability> alternatives = {};  // of the token
  BeamStep beam = {};
  WrittenText written = {};
};

// What is told as a text is written, beside its end.
struct Telling {
  bool tokens = false;
  bool beams = false;
  std::optional<AttentionChoice> attention = {};
};

class WrittenEvents {
 public:
  WrittenEvents(Service& service, const HttpRequest& request);
  ~WrittenEvents();
  WrittenEvents(const WrittenEvents&) = delete;
  WrittenEvents& operator=(const WrittenEvents&) = delete;

  // May be called several times. An ApiError if the queue is full.
  void start(const ServedModel& model, const TextWriting& writing, WriteOptions options,
             const Telling& telling = {});

  // The next event; none when all texts are done. An ApiError if time is over, an Error if the
  // model failed.
  std::optional<WrittenEvent> next();

  void cancel() { cancel_.request_stop(); }

 private:
  struct Channel {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<WrittenEvent> events;
    std::exception_ptr error;
    int64_t unfinished = 0;  // texts that the engine still writes
  };

  // What this thread needs to make an answer of what the engine wrote.
  struct Started {
    const Pipeline* pipeline;
    TextWriting writing;
    std::vector<std::string> stops;
  };

  Service& service_;
  const HttpRequest request_;  // a stream outlives the call
  Clock::time_point begin_;
  std::shared_ptr<Channel> channel_;
  std::stop_source cancel_;
  std::vector<Started> started_;  // texts
  size_t left_ = 0;               // those that are not done
  int64_t read_ = 0;
  bool has_first_ = false;
};

}  // namespace heed::server
