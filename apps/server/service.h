// What the endpoints share: the models, the worker that computes, limits and counters.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/server/http_server.h"
#include "apps/server/metrics.h"
#include "heed/generate/inference_worker.h"
#include "heed/pipeline/pipeline.h"

namespace heed::server {

using Clock = std::chrono::steady_clock;

struct ServerOptions {
  std::vector<std::string> models = {};  // folders
  std::string runs = {};                 // a folder of runs to watch; empty: none
  bool trains = false;                   // this process trains the run in that folder
  std::string host = "127.0.0.1";
  int port = 8080;                     // 0: any that is free
  std::vector<std::string> keys = {};  // of which a client must know one; none: anybody
  HttpLimits http = {};
  InferenceWorkerOptions worker = {};
  int64_t max_tokens = 4096;   // generated for one request at most
  double seconds = 300;        // for one request at most
  double grace = 10;           // seconds that running requests have when the server stops
  std::string_view page = {};  // the HTML of /
  bool log = false;            // a line per request on stderr, without its text
};

struct ServedModel {
  std::string id;  // the name of its folder
  Pipeline pipeline;
  int64_t created = 0;  // Unix time of its config.json
  size_t index = 0;     // of the worker
};

class Service {
 public:
  explicit Service(const ServerOptions& options);

  const ServerOptions& options() const { return options_; }
  const std::vector<ServedModel>& models() const { return models_; }
  // The one that is named, or the first if the name is empty; an ApiError if there is none.
  const ServedModel& model(const std::string& id) const;

  InferenceWorker& worker() { return worker_; }
  Metrics& metrics() { return metrics_; }

  // Runs f on the worker's thread and waits. An ApiError if the queue is full, if the time is over
  // before it begins, or if the client went away.
  void compute(const HttpRequest& request, const std::function<void()>& f);

  // Requests are canceled from now on.
  void cancel() { is_canceled_ = true; }
  void begin_to_stop() { is_stopping_ = true; }
  bool is_canceled() const { return is_canceled_; }
  bool is_stopping() const { return is_stopping_; }

 private:
  ServerOptions options_;
  std::vector<ServedModel> models_;
  Metrics metrics_;
  std::atomic<bool> is_stopping_ = false, is_canceled_ = false;
  InferenceWorker worker_;  // the last: its thread uses the others
};

// The answer when the queue is full.
[[noreturn]] void refuse_full(const Service& service);

}  // namespace heed::server
