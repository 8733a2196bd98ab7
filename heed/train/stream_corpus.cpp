#include "heed/train/stream_corpus.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/data/windows.h"
#include "heed/train/fingerprint.h"

namespace heed {
namespace {

Batch batch_of(const StreamRange& range, const WindowPlan& windows,
               std::span<const int64_t> items) {
  std::vector<int64_t> lengths;
  std::vector<uint64_t> ids;
  std::vector<int32_t> inputs, labels;
  for (const int64_t item : items) {
    const Window window = windows[item];
    const std::vector<int32_t> read =
        range.tokens.range(range.begin + window.begin, range.begin + window.end + 1);
    inputs.insert(inputs.end(), read.begin(), read.end() - 1);
    labels.insert(labels.end(), read.begin() + 1, read.end());
    lengths.push_back(window.length());
    ids.push_back(static_cast<uint64_t>(window.begin));
  }
  const auto rows = static_cast<int64_t>(inputs.size());
  Batch batch;
  batch.target_rows = Rows::from_lengths(lengths, ids);
  batch.target = Tensor::from(inputs, {rows});
  batch.labels = Tensor::from(labels, {rows});
  batch.label_count = rows;
  return batch;
}

// Consecutive items, as many per batch as the options allow.
BatchPlan groups_of(int64_t items, const BatchOptions& options, int64_t context) {
  int64_t size = options.sequences;
  if (options.budget > 0) {
    const int64_t fitting = std::max<int64_t>(options.budget / context, 1);
    size = size > 0 ? std::min(size, fitting) : fitting;
  }
  check(size > 0, "language model: give a number of sequences or of tokens per batch");
  BatchPlan plan;
  for (int64_t begin = 0; begin < items; begin += size) {
    std::vector<int64_t> group;
    for (int64_t i = begin; i < std::min(items, begin + size); ++i) group.push_back(i);
    plan.push_back(std::move(group));
  }
  return plan;
}

}  // namespace

StreamCorpus::StreamCorpus(StreamRange range, int64_t context, uint64_t seed)
    : range_(std::move(range)), context_(context), seed_(seed) {
  check(range_.length() >= 2, "language model: the text has {} tokens, too few to predict one",
        range_.length());
  check(context > 0, "language model: the context must be at least 1, got {}", context);
}

int64_t StreamCorpus::size() const {
  return consecutive_windows(range_.length(), context_).count();
}

BatchPlan StreamCorpus::plan(const BatchOptions& options, uint64_t epoch) const {
  return groups_of(plan_windows(range_.length(), context_, seed_, epoch).count(), options,
                   context_);
}

Batch StreamCorpus::batch(std::span<const int64_t> items, uint64_t epoch) const {
  return batch_of(range_, plan_windows(range_.length(), context_, seed_, epoch), items);
}

BatchPlan StreamCorpus::evaluation_plan(const BatchOptions& options) const {
  return groups_of(size(), options, context_);
}

Batch StreamCorpus::evaluation_batch(std::span<const int64_t> items) const {
  return batch_of(range_, consecutive_windows(range_.length(), context_), items);
}

std::vector<int32_t> StreamCorpus::beginning(int64_t count) const {
  return range_.tokens.range(range_.begin, range_.begin + std::min(count, range_.length()));
}

uint64_t StreamCorpus::fingerprint() const {
  return mix_bits(fingerprint_of(range_.tokens) ^ static_cast<uint64_t>(range_.length()));
}

}  // namespace heed
