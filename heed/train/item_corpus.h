// What corpora of separate items (pairs, labelled or tagged sentences) share: batches are planned
// by the cost of each item, and an item is the same in every epoch.
#pragma once

#include <vector>

#include "heed/base/export.h"
#include "heed/train/corpus.h"

namespace heed {

class HEED_API ItemCorpus : public Corpus {
 public:
  int64_t size() const override { return static_cast<int64_t>(costs_.size()); }
  BatchPlan plan(const BatchOptions& options, uint64_t epoch) const override {
    return plan_batches(costs_, options, epoch);
  }
  Batch batch(std::span<const int64_t> items, uint64_t /*epoch*/) const override {
    return make_batch(items);
  }
  BatchPlan evaluation_plan(const BatchOptions& options) const override {
    BatchOptions in_order = options;
    in_order.shuffle = false;
    return plan_batches(costs_, in_order, 0);
  }
  Batch evaluation_batch(std::span<const int64_t> items) const override {
    return make_batch(items);
  }

 protected:
  virtual Batch make_batch(std::span<const int64_t> items) const = 0;

  std::vector<int64_t> costs_;  // tokens of each item
};

}  // namespace heed
