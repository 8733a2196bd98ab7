// Counters of the server, as Prometheus reads them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "heed/generate/inference_worker.h"

namespace heed::server {

class Metrics {
 public:
  // An answer was sent: of which route, with which status, after how many seconds.
  void count_answer(const std::string& route, int status, double seconds);
  void count_tokens(int64_t read, int64_t generated);
  void count_first_token(double seconds);
  void count_canceled();

  // Version 0.0.4 of the text format.
  std::string text(const InferenceWorkerCounts& worker) const;

 private:
  // How many values were up to each of some bounds.
  struct Histogram {
    static constexpr std::array<double, 12> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                       0.5,   1,    2.5,   5,    10,  60};
    std::array<int64_t, kBounds.size()> counts = {};
    int64_t count = 0;
    double sum = 0;

    void add(double value);
    std::string text(const std::string& name, const std::string& help) const;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> answers_;
  int64_t read_ = 0, generated_ = 0, canceled_ = 0;
  Histogram seconds_, first_token_;
};

}  // namespace heed::server
