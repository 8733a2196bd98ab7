#include "heed/base/fail.h"
#include "heed/train/fingerprint.h"
#include "heed/train/vector_corpus_internal.h"

namespace heed {

VectorCorpus::VectorCorpus(SourceVectors vectors, std::vector<int32_t> classes, ClassPer per)
    : vectors_(std::move(vectors)), classes_(std::move(classes)), per_(per) {
  const Rows& layout = vectors_.layout;
  const int64_t wanted = per == ClassPer::row ? layout.total() : layout.count();
  check(wanted == static_cast<int64_t>(classes_.size()),
        "source vectors: {} sequences of {} rows, but {} classes", layout.count(), layout.total(),
        classes_.size());
  for (int64_t i = 0; i < layout.count(); ++i) costs_.push_back(layout.length(i));
}

uint64_t VectorCorpus::fingerprint() const {
  uint64_t h = fingerprint_of(vectors_.rows, vectors_.layout);
  for (const int32_t c : classes_) h = mix_bits(h ^ static_cast<uint32_t>(c));
  return h;
}

Batch VectorCorpus::make_batch(std::span<const int64_t> items) const {
  std::vector<int64_t> lengths;
  std::vector<int32_t> labels;
  for (const int64_t item : items) {
    const int64_t begin = vectors_.layout.begin(item), end = vectors_.layout.end(item);
    lengths.push_back(end - begin);
    if (per_ == ClassPer::sequence) {
      labels.push_back(classes_[item]);
    } else {
      labels.insert(labels.end(), classes_.begin() + begin, classes_.begin() + end);
    }
  }
  Batch batch;
  batch.source_rows =
      Rows::from_lengths(lengths, std::vector<uint64_t>(items.begin(), items.end()));
  batch.source = choose_sequences(vectors_, items, 0).rows;
  batch.labels = Tensor::from(labels, {static_cast<int64_t>(labels.size())});
  for (const int32_t label : labels) batch.label_count += label >= 0 ? 1 : 0;
  return batch;
}

}  // namespace heed
