#include "heed/data/batches.h"

#include <algorithm>
#include <numeric>

#include "heed/base/draw.h"
#include "heed/base/fail.h"

namespace heed {
namespace {

constexpr uint64_t kItemSite = 0x6974656d;   // "item"
constexpr uint64_t kBatchSite = 0x62617463;  // "batc"

using Indices = std::vector<int64_t>;

int64_t length_of(std::span<const int64_t> lengths, int64_t item) { return lengths[item]; }

void check_plan(std::span<const int64_t> lengths, const BatchOptions& options) {
  check(options.budget >= 0 && options.sequences >= 0,
        "plan_batches: budget {} and sequences {} must not be negative", options.budget,
        options.sequences);
  check(options.budget > 0 || options.sequences > 0,
        "plan_batches: give a budget of tokens or a number of sequences");
  check(options.pool_batches > 0, "plan_batches: pool_batches must be positive, got {}",
        options.pool_batches);
  check(lengths.size() < (uint64_t{1} << 32), "plan_batches: {} items are more than 2^32 - 1",
        lengths.size());
  for (size_t i = 0; i < lengths.size(); ++i) {
    check(lengths[i] >= 0, "plan_batches: item {} has the negative length {}", i, lengths[i]);
  }
}

// About how many items fill one batch.
double items_per_batch(std::span<const int64_t> lengths, const BatchOptions& options) {
  const double total = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  const double count = static_cast<double>(lengths.size());
  double items = count;
  if (options.budget > 0 && total > 0) {
    items = std::min(items, static_cast<double>(options.budget) * count / total);
  }
  if (options.sequences > 0) items = std::min(items, static_cast<double>(options.sequences));
  return std::max(items, 1.0);
}

// Each pool of the order sorted by length, upward and downward in turn.
void sort_pools(std::span<int64_t> order, std::span<const int64_t> lengths, size_t pool) {
  bool upward = true;
  for (size_t begin = 0; begin < order.size(); begin += pool) {
    const auto part = order.subspan(begin, std::min(pool, order.size() - begin));
    std::stable_sort(part.begin(), part.end(), [&](int64_t a, int64_t b) {
      const int64_t la = length_of(lengths, a), lb = length_of(lengths, b);
      return upward ? la < lb : lb < la;
    });
    upward = !upward;
  }
}

std::vector<Indices> cut(std::span<const int64_t> order, std::span<const int64_t> lengths,
                         const BatchOptions& options) {
  std::vector<Indices> batches;
  Indices batch;
  int64_t sum = 0;
  for (const int64_t item : order) {
    const int64_t length = length_of(lengths, item);
    const bool too_long = options.budget > 0 && length > options.budget - sum;
    const bool too_many =
        options.sequences > 0 && static_cast<int64_t>(batch.size()) >= options.sequences;
    if (!batch.empty() && (too_long || too_many)) {
      batches.push_back(std::move(batch));
      batch = {};
      sum = 0;
    }
    batch.push_back(item);
    sum += length;
  }
  if (!batch.empty()) batches.push_back(std::move(batch));
  return batches;
}

}  // namespace

std::vector<Indices> plan_batches(std::span<const int64_t> lengths, const BatchOptions& options,
                                  uint64_t epoch) {
  check_plan(lengths, options);
  Indices order(lengths.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  if (!options.shuffle) return cut(order, lengths, options);

  Draw{options.seed, epoch, kItemSite}.shuffle(std::span(order));
  const double pool = items_per_batch(lengths, options) * static_cast<double>(options.pool_batches);
  sort_pools(order, lengths, static_cast<size_t>(std::min(pool, 0x1p32)));
  std::vector<Indices> batches = cut(order, lengths, options);
  Draw{options.seed, epoch, kBatchSite}.shuffle(std::span(batches));
  return batches;
}

}  // namespace heed
