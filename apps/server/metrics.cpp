#include "apps/server/metrics.h"

#include <fmt/format.h>

namespace heed::server {
namespace {

std::string number(const std::string& name, const std::string& type, const std::string& help,
                   int64_t value) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, type, help, value);
}

}  // namespace

void Metrics::Histogram::add(double value) {
  for (size_t i = 0; i < kBounds.size(); ++i) counts[i] += value <= kBounds[i] ? 1 : 0;
  ++count;
  sum += value;
}

std::string Metrics::Histogram::text(const std::string& name, const std::string& help) const {
  std::string result = fmt::format("# HELP {0} {1}\n# TYPE {0} histogram\n", name, help);
  for (size_t i = 0; i < kBounds.size(); ++i) {
    result += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, kBounds[i], counts[i]);
  }
  return result + fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name,
                              count, sum);
}

void Metrics::count_answer(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++answers_[{route, status}];
  seconds_.add(seconds);
}

void Metrics::count_tokens(int64_t read, int64_t generated) {
  const std::lock_guard lock(mutex_);
  read_ += read;
  generated_ += generated;
}

void Metrics::count_first_token(double seconds) {
  const std::lock_guard lock(mutex_);
  first_token_.add(seconds);
}

void Metrics::count_canceled() {
  const std::lock_guard lock(mutex_);
  ++canceled_;
}

std::string Metrics::text(const InferenceWorkerCounts& worker) const {
  const std::lock_guard lock(mutex_);
  std::string text =
      "# HELP heed_answers_total Answers by route and status.\n# TYPE heed_answers_total counter\n";
  for (const auto& [key, count] : answers_) {
    text += fmt::format("heed_answers_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  text += number("heed_tokens_read_total", "counter", "Tokens of prompts and texts.", read_);
  text += number("heed_tokens_written_total", "counter", "Tokens written.", generated_);
  text += number("heed_canceled_total", "counter", "Requests whose client went away.", canceled_);
  text += number("heed_queued", "gauge", "Requests that wait.", worker.queued);
  text += number("heed_running", "gauge", "Requests that are being written.", worker.running);
  text += number("heed_steps_total", "counter", "Steps of the engine.", worker.steps);
  text +=
      number("heed_step_rows_total", "counter", "Requests advanced by these steps.", worker.rows);
  text += seconds_.text("heed_answer_seconds", "From the request to the end of its answer.");
  text += first_token_.text("heed_first_token_seconds", "From the request to its first token.");
  return text;
}

}  // namespace heed::server
