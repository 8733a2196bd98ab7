#include "heed/train/label_corpus.h"

#include "heed/base/fail.h"
#include "heed/tensor/ids_tensor.h"
#include "heed/train/fingerprint.h"

namespace heed {
SentenceCorpus::SentenceCorpus(TokenStore texts, std::vector<int32_t> classes,
                               SpecialTokens special)
    : texts_(std::move(texts)), classes_(std::move(classes)), special_(std::move(special)) {
  check(texts_.count() == static_cast<int64_t>(classes_.size()), "{} texts, {} labels",
        texts_.count(), classes_.size());
  for (int64_t i = 0; i < texts_.count(); ++i) {
    costs_.push_back(texts_.length(i) + special_.size());
  }
}

uint64_t SentenceCorpus::fingerprint() const {
  uint64_t h = fingerprint_of(texts_);
  for (const int32_t c : classes_) h = mix_bits(h ^ static_cast<uint32_t>(c));
  return h;
}

Batch SentenceCorpus::make_batch(std::span<const int64_t> items) const {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids, labels;
  for (const int64_t item : items) {
    const std::vector<int32_t> text = special_.around(texts_.sequence(item));
    ids.insert(ids.end(), text.begin(), text.end());
    lengths.push_back(costs_[item]);
    labels.push_back(classes_[item]);
  }
  Batch batch;
  batch.source_rows =
      Rows::from_lengths(lengths, std::vector<uint64_t>(items.begin(), items.end()));
  batch.source = ids_tensor(ids);
  batch.labels = ids_tensor(labels);
  for (const int32_t label : labels) batch.label_count += label >= 0 ? 1 : 0;
  return batch;
}

TokenCorpus::TokenCorpus(TokenStore texts, TokenStore classes_plus_one)
    : texts_(std::move(texts)), classes_(std::move(classes_plus_one)) {
  check(texts_.count() == classes_.count() && texts_.total() == classes_.total(),
        "tags: {} tokens in {} sentences, but {} tags in {}", texts_.total(), texts_.count(),
        classes_.total(), classes_.count());
  for (int64_t i = 0; i < texts_.count(); ++i) costs_.push_back(texts_.length(i));
}

uint64_t TokenCorpus::fingerprint() const {
  return mix_bits(fingerprint_of(texts_) ^ mix_bits(fingerprint_of(classes_)));
}

Batch TokenCorpus::make_batch(std::span<const int64_t> items) const {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids, labels;
  Batch batch;
  for (const int64_t item : items) {
    const std::vector<int32_t> text = texts_.sequence(item);
    const std::vector<int32_t> classes = classes_.sequence(item);
    ids.insert(ids.end(), text.begin(), text.end());
    for (const int32_t c : classes) {
      labels.push_back(c - 1);
      batch.label_count += c > 0 ? 1 : 0;
    }
    lengths.push_back(static_cast<int64_t>(text.size()));
  }
  batch.source_rows =
      Rows::from_lengths(lengths, std::vector<uint64_t>(items.begin(), items.end()));
  batch.source = ids_tensor(ids);
  batch.labels = ids_tensor(labels);
  return batch;
}

}  // namespace heed
