#include "heed/generate/continuous_batcher.h"

#include <algorithm>
#include <chrono>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/generate/search_internal.h"
#include "heed/generate/thread_choice_internal.h"
#include "heed/nn/attention_recorder.h"
#include "heed/ops/concatenate.h"

namespace heed {
namespace {

constexpr double kNanosecondsPerLogit = 0.6;

Batch sources_of(const std::vector<std::unique_ptr<GenerationTask>>& tasks) {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids;
  std::vector<Variable> rows;
  for (const auto& task : tasks) {
    const GenerationRequest& request = task->request;
    if (request.source_vectors.defined()) rows.emplace_back(request.source_vectors);
    lengths.push_back(request.source_length());
    ids.insert(ids.end(), request.source.begin(), request.source.end());
  }
  Batch batch;
  batch.source_rows = Rows::from_lengths(lengths);
  batch.source = rows.empty() ? Tensor::from(ids, {static_cast<int64_t>(ids.size())})
                              : concatenate(rows, 0).value();
  return batch;
}

// Where the last row of a sequence looked, [S].
Tensor last_row_weights(const AttentionRecorder& recorder, const AttentionChoice& choice,
                        int64_t sequence, int64_t length) {
  const std::string layer =
      choice.layer.empty() ? default_attention_layer(recorder.names()) : choice.layer;
  const int64_t heads = recorder.heads(layer);
  check(choice.head >= -1 && choice.head < heads,
        "attention: {} has heads 0 to {}, there is no head {}", layer, heads - 1, choice.head);
  const auto row_of = [&](int64_t head) {
    const Tensor row = recorder.weights(
        layer, {.sequence = sequence, .head = head, .first_row = length - 1, .rows = 1});
    return row.reshape({row.size()}).to(DType::f32);
  };
  if (choice.head >= 0) return row_of(choice.head);
  Tensor mean;
  for (int64_t head = 0; head < heads; ++head) {
    const Tensor row = row_of(head);
    if (!mean.defined()) mean = Tensor::zeros(row.shape());
    for (int64_t j = 0; j < row.size(); ++j) {
      mean.data<float>()[j] += row.data<float>()[j] / static_cast<float>(heads);
    }
  }
  return mean;
}

}  // namespace

// A request that is being generated.
struct ContinuousBatcher::Entry {
  std::unique_ptr<GenerationTask> task;
  Search search;
  std::exception_ptr error = {};
};

ContinuousBatcher::ContinuousBatcher(const Model& model, const BatcherLimits& limits)
    : limits_(limits), decoding_(model.decoding()) {
  check(limits.sequences > 0, "generate: expected at least 1 sequence at once, got {}",
        limits.sequences);
  check(limits.tokens >= 0, "generate: tokens {} must be 0 or more", limits.tokens);
  if (limits.chooses_threads) choice_ = std::make_unique<ThreadChoice>();
}

ContinuousBatcher::~ContinuousBatcher() = default;

int64_t ContinuousBatcher::live() const { return static_cast<int64_t>(live_.size()); }

void ContinuousBatcher::add(GenerationTask task) {
  validate(task.options);
  const std::vector<int32_t>& prompt = task.request.prompt;
  check(!prompt.empty(), "generate: a prompt needs at least one token");
  const int64_t limit = decoding_->limit();
  check(limit == 0 || static_cast<int64_t>(prompt.size()) <= limit,
        "generate: the prompt has {} tokens, but the model can read {} at most; shorten it",
        prompt.size(), limit);
  waiting_.push_back(std::make_unique<GenerationTask>(std::move(task)));
}

bool ContinuousBatcher::step() {
  const NoGrad no_grad;
  cancel();
  admit();
  if (!live_.empty()) advance(live_);
  return !live_.empty() || !waiting_.empty();
}

void ContinuousBatcher::leave(Entry& entry) {
  if (entry.error) {
    if (entry.task->failed) entry.task->failed(entry.error);
  } else if (entry.task->done) {
    entry.task->done(entry.search.result());
  }
}

void ContinuousBatcher::cancel() {
  const auto is_canceled = [](const GenerationTask& task) {
    return task.options.cancel.stop_requested();
  };
  std::vector<Entry> going;
  for (Entry& entry : live_) {
    if (is_canceled(*entry.task)) {
      entry.search.cancel(*decoding_);
      leave(entry);
    } else {
      going.push_back(std::move(entry));
    }
  }
  live_ = std::move(going);
  for (const auto& task : waiting_) {
    if (is_canceled(*task) && task->done) task->done({.ending = Ending::canceled});
  }
  std::erase_if(waiting_, [&](const auto& task) { return is_canceled(*task); });
}

// The tasks that have room now.
ContinuousBatcher::Tasks ContinuousBatcher::pick() {
  int64_t places = limits_.sequences, load = 0;
  for (const Entry& entry : live_) {
    places -= entry.task->options.beam.width;
    load += entry.task->request.load();
  }
  if (limits_.gathers && !live_.empty() && places < limits_.sequences / 4) return {};
  Tasks picked;
  while (!waiting_.empty()) {
    const GenerationTask& next = *waiting_.front();
    const int64_t more = next.request.load();
    const bool is_first = live_.empty() && picked.empty();
    const bool has_room =
        next.options.beam.width <= places && (limits_.tokens == 0 || load + more <= limits_.tokens);
    if (!is_first && !has_room) break;
    places -= next.options.beam.width;
    load += more;
    picked.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return picked;
}

void ContinuousBatcher::admit() {
  Tasks picked = pick();
  if (picked.empty()) return;
  std::vector<int64_t> slots;
  try {
    slots = decoding_->begin(sources_of(picked));
  } catch (...) {
    for (const auto& task : picked) {
      if (task->failed) task->failed(std::current_exception());
    }
    return;
  }
  std::vector<Entry> fresh;
  for (size_t i = 0; i < picked.size(); ++i) {
    const GenerationTask& task = *picked[i];
    Search search(task.index, task.request, task.options, slots[i]);
    fresh.push_back({std::move(picked[i]), std::move(search)});
  }
  // New ones read their prompts by themselves: a prefix is read in one piece.
  advance(fresh);
  std::move(fresh.begin(), fresh.end(), std::back_inserter(live_));
}

// Reads the next tokens of all hypotheses in one pass, and finds the candidates of each.
void ContinuousBatcher::read(std::vector<Entry>& group) {
  struct Row {
    Entry* entry;
    Hypothesis* hypothesis;
    std::exception_ptr error = {};
  };
  std::vector<Row> rows;
  std::vector<int64_t> slots, lengths;
  std::vector<int32_t> ids;
  bool is_observed = false;
  for (Entry& entry : group) {
    is_observed = is_observed || entry.task->options.attention;
    for (Hypothesis& one : entry.search.live()) {
      rows.push_back({&entry, &one});
      slots.push_back(one.slot);
      lengths.push_back(static_cast<int64_t>(one.next.size()));
      ids.insert(ids.end(), one.next.begin(), one.next.end());
    }
  }
  AttentionRecorder recorder;
  Tensor logits = decoding_->advance(slots, Rows::from_lengths(lengths),
                                     Tensor::from(ids, {static_cast<int64_t>(ids.size())}),
                                     {.observer = is_observed ? &recorder : nullptr});
  if (logits.dtype() != DType::f32) logits = logits.to(DType::f32);
  const int64_t V = logits.dim(1);
  parallel_for(static_cast<int64_t>(rows.size()),
               kNanosecondsPerLogit * static_cast<double>(logits.size()), [&](int64_t i) {
                 Row& row = rows[i];
                 try {
                   row.entry->search.find_candidates(
                       *row.hypothesis, {logits.data<float>() + i * V, static_cast<size_t>(V)});
                 } catch (...) {
                   row.error = std::current_exception();
                 }
               });
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    const auto& choice = row.entry->task->options.attention;
    try {
      if (row.error) std::rethrow_exception(row.error);
      if (choice) {
        row.hypothesis->attention =
            last_row_weights(recorder, *choice, static_cast<int64_t>(i), lengths[i]);
      }
    } catch (...) {
      if (!row.entry->error) row.entry->error = std::current_exception();
    }
  }
}

// Writes one token for each of these, on as many threads as are worth it; those that end leave.
void ContinuousBatcher::advance(std::vector<Entry>& group) {
  if (!choice_ || threads() == 1) return advance_all(group);
  using Clock = std::chrono::steady_clock;
  size_t rows = 0;
  for (Entry& entry : group) {
    for (const Hypothesis& one : entry.search.live()) rows += one.next.size();
  }
  const ThreadScope scope(choice_->uses_all(rows) ? threads() : 1);
  const Clock::time_point begin = Clock::now();
  advance_all(group);
  choice_->record(rows, std::chrono::duration<double>(Clock::now() - begin).count());
}

void ContinuousBatcher::advance_all(std::vector<Entry>& group) {
  try {
    read(group);
  } catch (...) {  // it cannot be told whose fault it is
    for (Entry& entry : group) entry.error = std::current_exception();
  }
  std::vector<Entry> going;
  for (Entry& entry : group) {
    try {
      if (!entry.error) entry.search.step(*decoding_);
    } catch (...) {
      entry.error = std::current_exception();
    }
    if (entry.error) entry.search.cancel(*decoding_);
    if (entry.search.live().empty()) {
      leave(entry);
    } else {
      going.push_back(std::move(entry));
    }
  }
  group = std::move(going);
}

}  // namespace heed
