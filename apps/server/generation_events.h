// What the worker generates for one request, on its way to the thread that waits for it.
//
//   GenerationEvents events(service, request);
//   events.start(model, prepare_generation(model.pipeline, "Once upon", options), options);
//   while (const auto event = events.next()) { ... }
//
// It is canceled when this object goes, when the client goes, and when the time is over.
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
#include "heed/pipeline/prepared_generation.h"

namespace heed::server {

struct GenerationEvent {
  enum class Kind : uint8_t { token, beam, done } kind;
  size_t text = 0;  // which of the texts that were started
  TextToken token = {};
  std::vector<TokenProbability> alternatives = {};  // of the token
  BeamStep beam = {};
  GeneratedText generated = {};
};

// Events wanted while a text is generated, besides its end.
struct EventOptions {
  bool tokens = false;
  bool beams = false;
  std::optional<AttentionChoice> attention = {};
};

class GenerationEvents {
 public:
  GenerationEvents(Service& service, const HttpRequest& request);
  ~GenerationEvents();
  GenerationEvents(const GenerationEvents&) = delete;
  GenerationEvents& operator=(const GenerationEvents&) = delete;

  // May be called several times. An ApiError if the queue is full.
  void start(const ServedModel& model, const PreparedGeneration& prepared,
             GenerateTextOptions options, const EventOptions& wanted = {});

  // The next event; none when all texts are done. An ApiError if time is over, an Error if the
  // model failed.
  std::optional<GenerationEvent> next();

  void cancel() { cancel_.request_stop(); }

 private:
  struct Channel {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<GenerationEvent> events;
    std::exception_ptr error;
    int64_t unfinished = 0;  // texts that the worker still generates
  };

  // What this thread needs to make an answer of what the worker generated.
  struct Started {
    const Pipeline* pipeline;
    PreparedGeneration prepared;
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
