#include "heed/generate/generator.h"

#include <algorithm>
#include <memory>

#include "heed/base/fail_internal.h"
#include "heed/base/parallel.h"
#include "heed/generate/search_internal.h"
#include "heed/ops/concatenate.h"

namespace heed {
namespace {

constexpr double kNanosecondsPerLogit = 0.6;

int64_t source_length(const GenerationRequest& request) {
  return request.source_rows.defined() ? request.source_rows.dim(0)
                                       : static_cast<int64_t>(request.source.size());
}

int64_t load_of(const GenerationRequest& request) {
  return source_length(request) + static_cast<int64_t>(request.prompt.size());
}

Batch sources_of(std::span<const GenerationRequest> requests, const std::vector<size_t>& picked) {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids;
  std::vector<Variable> rows;
  for (const size_t r : picked) {
    const GenerationRequest& request = requests[r];
    if (request.source_rows.defined()) rows.emplace_back(request.source_rows);
    lengths.push_back(source_length(request));
    ids.insert(ids.end(), request.source.begin(), request.source.end());
  }
  Batch batch;
  batch.source_rows = Rows::from_lengths(lengths);
  batch.source = rows.empty() ? Tensor::from(ids, {static_cast<int64_t>(ids.size())})
                              : concatenate(rows, 0).value();
  return batch;
}

// All requests, some of them at once.
class Writing {
 public:
  Writing(const Model& model, std::span<const GenerationRequest> requests,
          const GenerateOptions& options)
      : decoding_(model.decoding()),
        requests_(requests),
        options_(options),
        at_once_(std::max<int64_t>(options.sequences / options.beam.width, 1)),
        results_(requests.size()) {
    // Long ones first, so that those read together are alike.
    for (size_t r = 0; r < requests.size(); ++r) waiting_.push_back(r);
    std::stable_sort(waiting_.begin(), waiting_.end(), [&](size_t a, size_t b) {
      return load_of(requests[a]) < load_of(requests[b]);
    });
  }

  std::vector<Generation> run() {
    while (!waiting_.empty() || !live_.empty()) {
      if (options_.cancel.stop_requested()) {
        cancel();
        break;
      }
      admit();
      if (!live_.empty()) advance(live_);
    }
    return std::move(results_);
  }

 private:
  struct Entry {
    size_t request;
    int64_t load;  // tokens of source and prompt
    Search search;
  };

  // Fills the free places, but not one by one: reading several sources at once is faster.
  void admit() {
    const int64_t free = at_once_ - static_cast<int64_t>(live_.size());
    if (waiting_.empty() || (!live_.empty() && free < std::max<int64_t>(at_once_ / 4, 1))) return;
    int64_t load = 0;
    for (const Entry& entry : live_) load += entry.load;
    std::vector<size_t> picked;
    while (!waiting_.empty() && static_cast<int64_t>(picked.size()) < free) {
      const int64_t more = load_of(requests_[waiting_.back()]);
      const bool is_first = live_.empty() && picked.empty();
      if (options_.tokens > 0 && load + more > options_.tokens && !is_first) break;
      load += more;
      picked.push_back(waiting_.back());
      waiting_.pop_back();
    }
    if (picked.empty()) return;
    for (const size_t r : picked) require_readable(requests_[r]);
    const std::vector<int64_t> slots = decoding_->begin(sources_of(requests_, picked));
    std::vector<Entry> fresh;
    for (size_t i = 0; i < picked.size(); ++i) {
      const GenerationRequest& request = requests_[picked[i]];
      fresh.push_back(
          {picked[i], load_of(request), Search(picked[i], request, options_, slots[i])});
    }
    // New ones read their prompts by themselves: a prefix is read in one piece.
    advance(fresh);
    std::move(fresh.begin(), fresh.end(), std::back_inserter(live_));
  }

  void require_readable(const GenerationRequest& request) const {
    check(!request.prompt.empty(), "generate: a prompt needs at least one token");
    const int64_t limit = decoding_->limit();
    check(limit == 0 || static_cast<int64_t>(request.prompt.size()) <= limit,
          "generate: the prompt has {} tokens, but the model can read {} at most; shorten it",
          request.prompt.size(), limit);
  }

  // Reads the next tokens of these and writes one token for each; those that end leave.
  void advance(std::vector<Entry>& group) {
    struct Row {
      const Search* search;
      Hypothesis* hypothesis;
    };
    std::vector<Row> rows;
    std::vector<int64_t> slots, lengths;
    std::vector<int32_t> ids;
    for (Entry& entry : group) {
      for (Hypothesis& one : entry.search.live()) {
        rows.push_back({&entry.search, &one});
        slots.push_back(one.slot);
        lengths.push_back(static_cast<int64_t>(one.next.size()));
        ids.insert(ids.end(), one.next.begin(), one.next.end());
      }
    }
    Tensor logits = decoding_->advance(slots, Rows::from_lengths(lengths),
                                       Tensor::from(ids, {static_cast<int64_t>(ids.size())}), {});
    if (logits.dtype() != DType::f32) logits = logits.to(DType::f32);
    const int64_t V = logits.dim(1);
    parallel_for(
        static_cast<int64_t>(rows.size()),
        kNanosecondsPerLogit * static_cast<double>(logits.size()), [&](int64_t i) {
          const Row& row = rows[static_cast<size_t>(i)];
          row.search->look(*row.hypothesis, {logits.data<float>() + i * V, static_cast<size_t>(V)});
        });
    std::vector<Entry> going;
    for (Entry& entry : group) {
      entry.search.step(*decoding_);
      if (entry.search.live().empty()) {
        results_[entry.request] = entry.search.result();
      } else {
        going.push_back(std::move(entry));
      }
    }
    group = std::move(going);
  }

  void cancel() {
    for (Entry& entry : live_) {
      entry.search.cancel(*decoding_);
      results_[entry.request] = entry.search.result();
    }
    for (const size_t r : waiting_) results_[r].ending = Ending::canceled;
  }

  std::unique_ptr<Decoding> decoding_;
  std::span<const GenerationRequest> requests_;
  const GenerateOptions& options_;
  int64_t at_once_;  // requests
  std::vector<Generation> results_;
  std::vector<size_t> waiting_;
  std::vector<Entry> live_;
};

void validate(const GenerateOptions& options) {
  check(options.sequences > 0, "generate: expected at least 1 sequence at once, got {}",
        options.sequences);
  check(options.max_tokens >= 0 && options.min_tokens >= 0 && options.tokens >= 0 &&
            options.no_repeat >= 0 && options.alternatives >= 0,
        "generate: max_tokens {}, min_tokens {}, tokens {}, no_repeat {} and alternatives {} must "
        "be 0 or more",
        options.max_tokens, options.min_tokens, options.tokens, options.no_repeat,
        options.alternatives);
  validate(options.sampling);
  const BeamOptions& beam = options.beam;
  check(beam.width >= 1, "generate: the beam has a width of {}, expected 1 or more", beam.width);
  check(beam.n_best >= 1 && beam.n_best <= beam.width,
        "generate: the {} best of a beam of {} are wanted; expected 1 to {}", beam.n_best,
        beam.width, beam.width);
  check(beam.width == 1 || (!options.sampling.is_random() && !options.sampling.has_penalty()),
        "generate: a beam excludes sampling and penalties; leave the temperature and the "
        "penalties, or take a width of 1");
  check(beam.width == 1 || !options.on_token,
        "generate: with a beam the tokens are known at the end only, so on_token cannot be called");
}

}  // namespace

std::vector<Generation> Generator::generate(std::span<const GenerationRequest> requests,
                                            const GenerateOptions& options) const {
  validate(options);
  const NoGrad no_grad;
  const bool writes = std::any_of(requests.begin(), requests.end(),
                                  [](const auto& request) { return request.max_tokens > 0; });
  if (options.max_tokens == 0 && !writes) return std::vector<Generation>(requests.size());
  return Writing(model_, requests, options).run();
}

}  // namespace heed
