#include "heed/generate/generator.h"

#include <algorithm>
#include <cmath>

#include "heed/base/fail_internal.h"
#include "heed/ops/concatenate.h"

namespace heed {
namespace {

// One request that is being written.
struct Live {
  size_t request;
  int64_t slot;
  std::vector<int32_t> next;  // tokens to read: the prompt, then the last one written
};

struct Choice {
  int32_t token;
  double log_probability;
};

// The likeliest token of a row of logits, of equals the first.
Choice likeliest(const float* logits, int64_t V) {
  int64_t best = 0;
  for (int64_t v = 1; v < V; ++v) {
    if (logits[v] > logits[best]) best = v;
  }
  double sum = 0;
  for (int64_t v = 0; v < V; ++v) {
    sum += std::exp(static_cast<double>(logits[v]) - static_cast<double>(logits[best]));
  }
  return {static_cast<int32_t>(best), -std::log(sum)};
}

Batch sources_of(std::span<const GenerationRequest> requests, const std::vector<size_t>& picked) {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids;
  std::vector<Variable> rows;
  for (const size_t r : picked) {
    const GenerationRequest& request = requests[r];
    if (request.source_rows.defined()) rows.emplace_back(request.source_rows);
    lengths.push_back(request.source_rows.defined() ? request.source_rows.dim(0)
                                                    : static_cast<int64_t>(request.source.size()));
    ids.insert(ids.end(), request.source.begin(), request.source.end());
  }
  Batch batch;
  batch.source_rows = Rows::from_lengths(lengths);
  batch.source = rows.empty() ? Tensor::from(ids, {static_cast<int64_t>(ids.size())})
                              : concatenate(rows, 0).value();
  return batch;
}

class Writing {
 public:
  Writing(const Model& model, std::span<const GenerationRequest> requests,
          const GenerateOptions& options)
      : decoding_(model.decoding()),
        requests_(requests),
        options_(options),
        results_(requests.size()) {
    // Long sources first, so that those encoded together are alike.
    for (size_t r = 0; r < requests.size(); ++r) waiting_.push_back(r);
    std::stable_sort(waiting_.begin(), waiting_.end(), [&](size_t a, size_t b) {
      return requests[a].source.size() < requests[b].source.size();
    });
  }

  std::vector<Generation> run() {
    while (!waiting_.empty() || !live_.empty()) {
      admit();
      advance();
    }
    return std::move(results_);
  }

 private:
  // Fills the free places, but not one by one: encoding several sources at once is faster.
  void admit() {
    const size_t free = static_cast<size_t>(options_.sequences) - live_.size();
    if (waiting_.empty() ||
        (!live_.empty() && free < static_cast<size_t>(options_.sequences) / 4)) {
      return;
    }
    std::vector<size_t> picked;
    while (!waiting_.empty() && picked.size() < free) {
      picked.push_back(waiting_.back());
      waiting_.pop_back();
    }
    const std::vector<int64_t> slots = decoding_->begin(sources_of(requests_, picked));
    std::vector<Live> fresh;
    for (size_t i = 0; i < picked.size(); ++i) {
      check(!requests_[picked[i]].prompt.empty(), "generate: a prompt needs at least one token");
      fresh.push_back({picked[i], slots[i], requests_[picked[i]].prompt});
    }
    // New ones read their prompts by themselves: a prefix is read in one piece.
    read(fresh);
    live_.insert(live_.end(), fresh.begin(), fresh.end());
  }

  void advance() {
    if (live_.empty()) return;
    read(live_);
  }

  // Reads the next tokens of these and writes one token for each; those that end leave.
  void read(std::vector<Live>& group) {
    std::vector<int64_t> slots, lengths;
    std::vector<int32_t> ids;
    for (const Live& live : group) {
      slots.push_back(live.slot);
      lengths.push_back(static_cast<int64_t>(live.next.size()));
      ids.insert(ids.end(), live.next.begin(), live.next.end());
    }
    const Tensor logits =
        decoding_->advance(slots, Rows::from_lengths(lengths),
                           Tensor::from(ids, {static_cast<int64_t>(ids.size())}), {});
    const int64_t V = logits.dim(1);
    std::vector<Live> going;
    for (size_t i = 0; i < group.size(); ++i) {
      const float* row = logits.data<float>() + static_cast<int64_t>(i) * V;
      if (write(group[i], likeliest(row, V))) {
        going.push_back(std::move(group[i]));
      } else {
        decoding_->remove(group[i].slot);
      }
    }
    group = std::move(going);
  }

  // Whether the sequence goes on.
  bool write(Live& live, const Choice& choice) {
    Generation& result = results_[live.request];
    result.log_probability += choice.log_probability;
    if (choice.token == options_.end) {
      result.ended = true;
      return false;
    }
    result.ids.push_back(choice.token);
    live.next = {choice.token};
    const int64_t limit = decoding_->limit();
    return static_cast<int64_t>(result.ids.size()) < options_.max_tokens &&
           (limit == 0 || decoding_->length(live.slot) < limit);
  }

  std::unique_ptr<Decoding> decoding_;
  std::span<const GenerationRequest> requests_;
  GenerateOptions options_;
  std::vector<Generation> results_;
  std::vector<size_t> waiting_;
  std::vector<Live> live_;
};

}  // namespace

std::vector<Generation> Generator::generate(std::span<const GenerationRequest> requests,
                                            const GenerateOptions& options) const {
  check(options.sequences > 0, "generate: expected at least 1 sequence at once, got {}",
        options.sequences);
  check(options.max_tokens >= 0, "generate: expected at least 0 tokens, got {}",
        options.max_tokens);
  const NoGrad no_grad;
  if (options.max_tokens == 0) return std::vector<Generation>(requests.size());
  return Writing(model_, requests, options).run();
}

}  // namespace heed
