#include "heed/train/pair_corpus.h"

#include "heed/base/fail.h"
#include "heed/ops/concatenate.h"
#include "heed/tensor/ids_tensor.h"
#include "heed/train/fingerprint.h"

namespace heed {
namespace {

std::vector<uint64_t> row_ids(std::span<const int64_t> items) {
  return {items.begin(), items.end()};
}

}  // namespace

PairCorpus::PairCorpus(TokenStore sources, TokenStore targets, const PairTokens& tokens,
                       PairLayout layout)
    : sources_(std::move(sources)), targets_(std::move(targets)), tokens_(tokens), layout_(layout) {
  check(sources_.count() == targets_.count(), "pairs: {} sources, {} targets", sources_.count(),
        targets_.count());
  for (int64_t i = 0; i < sources_.count(); ++i) {
    costs_.push_back(sources_.length(i) + targets_.length(i) + 2);
  }
}

PairCorpus::PairCorpus(Tensor vectors, Rows vector_rows, TokenStore targets,
                       const PairTokens& tokens)
    : targets_(std::move(targets)),
      vectors_(std::move(vectors)),
      vector_rows_(std::move(vector_rows)),
      tokens_(tokens),
      layout_(PairLayout::encoder_decoder) {
  vector_rows_.require_total(vectors_.dim(0), "pairs: source vectors");
  check(vector_rows_.count() == targets_.count(), "pairs: {} sources, {} targets",
        vector_rows_.count(), targets_.count());
  for (int64_t i = 0; i < targets_.count(); ++i) {
    costs_.push_back(vector_rows_.length(i) + targets_.length(i) + 1);
  }
}

std::vector<int32_t> PairCorpus::source(int64_t item) const { return sources_.sequence(item); }

std::vector<int32_t> PairCorpus::target(int64_t item) const { return targets_.sequence(item); }

GenerationRequest PairCorpus::request(int64_t item) const {
  if (!vectors_.defined()) return request_for(source(item), tokens_, layout_);
  GenerationRequest request;
  request.source_vectors = vectors_.slice(0, vector_rows_.begin(item), vector_rows_.end(item));
  request.prompt = {tokens_.bos};
  return request;
}

uint64_t PairCorpus::fingerprint() const {
  const uint64_t source =
      !vectors_.defined() ? fingerprint_of(sources_) : fingerprint_of(vectors_, vector_rows_);
  return mix_bits(source ^ mix_bits(fingerprint_of(targets_)));
}

Batch PairCorpus::make_batch(std::span<const int64_t> items) const {
  return layout_ == PairLayout::encoder_decoder ? two_stacks(items) : one_stack(items);
}

Batch PairCorpus::two_stacks(std::span<const int64_t> items) const {
  std::vector<int64_t> source_lengths, target_lengths;
  std::vector<int32_t> source_ids, target_ids, labels;
  std::vector<Variable> rows;
  for (const int64_t item : items) {
    if (!vectors_.defined()) {
      const std::vector<int32_t> ids = source(item);
      source_ids.insert(source_ids.end(), ids.begin(), ids.end());
      source_ids.push_back(tokens_.eos);
      source_lengths.push_back(static_cast<int64_t>(ids.size()) + 1);
    } else {
      rows.emplace_back(vectors_.slice(0, vector_rows_.begin(item), vector_rows_.end(item)));
      source_lengths.push_back(vector_rows_.length(item));
    }
    const std::vector<int32_t> ids = target(item);
    target_ids.push_back(tokens_.bos);
    target_ids.insert(target_ids.end(), ids.begin(), ids.end());
    labels.insert(labels.end(), ids.begin(), ids.end());
    labels.push_back(tokens_.eos);
    target_lengths.push_back(static_cast<int64_t>(ids.size()) + 1);
  }
  Batch batch;
  batch.source_rows = Rows::from_lengths(source_lengths, row_ids(items));
  batch.source = rows.empty() ? ids_tensor(source_ids) : concatenate(rows, 0).value();
  batch.target_rows = Rows::from_lengths(target_lengths, row_ids(items));
  batch.target = ids_tensor(target_ids);
  batch.labels = ids_tensor(labels);
  batch.label_count = static_cast<int64_t>(labels.size());
  return batch;
}

Batch PairCorpus::one_stack(std::span<const int64_t> items) const {
  Batch batch;
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids, labels;
  for (const int64_t item : items) {
    const std::vector<int32_t> from = source(item), to = target(item);
    ids.insert(ids.end(), from.begin(), from.end());
    ids.push_back(tokens_.separator);
    ids.insert(ids.end(), to.begin(), to.end());
    labels.insert(labels.end(), from.size(), -1);
    labels.insert(labels.end(), to.begin(), to.end());
    labels.push_back(tokens_.eos);
    lengths.push_back(static_cast<int64_t>(from.size() + 1 + to.size()));
    batch.prefixes.push_back(static_cast<int64_t>(from.size()) + 1);
    batch.label_count += static_cast<int64_t>(to.size()) + 1;
  }
  batch.target_rows = Rows::from_lengths(lengths, row_ids(items));
  batch.target = ids_tensor(ids);
  batch.labels = ids_tensor(labels);
  return batch;
}

}  // namespace heed
