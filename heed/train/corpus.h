// The examples of a task, as a trainer and an evaluator see them: numbered items that can be put
// together into batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/export.h"
#include "heed/data/batches.h"
#include "heed/models/batch.h"

namespace heed {

using BatchPlan = std::vector<std::vector<int64_t>>;  // the items of each batch

class HEED_API Corpus {
 public:
  virtual ~Corpus() = default;

  virtual int64_t size() const = 0;  // items, in an epoch

  // The batches of an epoch: every item once, in an order that depends on (options.seed, epoch).
  virtual BatchPlan plan(const BatchOptions& options, uint64_t epoch) const = 0;

  // Items of an epoch as a batch. An item draws the same random numbers in any company.
  virtual Batch batch(std::span<const int64_t> items, uint64_t epoch) const = 0;

  // The same for evaluation: every item once, in order, nothing shuffled or shifted.
  virtual BatchPlan evaluation_plan(const BatchOptions& options) const = 0;
  virtual Batch evaluation_batch(std::span<const int64_t> items) const = 0;

  // Tells one corpus from another: a hash of all ids.
  virtual uint64_t fingerprint() const = 0;
};

}  // namespace heed
