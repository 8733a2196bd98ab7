#include "heed/data/windows.h"

#include <algorithm>
#include <bit>

#include "heed/base/draw.h"
#include "heed/base/fail.h"

namespace heed {
namespace {

constexpr uint64_t kPhaseSite = 0x70686173;  // "phas"
constexpr uint64_t kOrderSite = 0x6f726465;  // "orde"
constexpr int kRounds = 6;

// A permutation of 0 .. n - 1: a Feistel network on the smallest even number of bits that hold n -
// 1, repeated until the result is below n. Each round is a bijection, and so is the walk.
uint64_t permuted(uint64_t i, uint64_t n, uint64_t key) {
  const int half = std::max((static_cast<int>(std::bit_width(n - 1)) + 1) / 2, 1);
  const uint64_t mask = (uint64_t{1} << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint64_t round = 0; round < kRounds; ++round) {
      const uint64_t next = left ^ (hash_numbers({key, round, right}) & mask);
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

}  // namespace

Window WindowPlan::operator[](int64_t i) const {
  check(i >= 0 && i < count_, "WindowPlan: there is no window {}; there are {}", i, count_);
  if (shuffled_) {
    i = static_cast<int64_t>(
        permuted(static_cast<uint64_t>(i), static_cast<uint64_t>(count_), key_));
  }
  if (i == 0) return {0, std::min(first_, predictions_)};
  const int64_t begin = first_ + (i - 1) * context_;
  return {begin, begin + std::min(context_, predictions_ - begin)};
}

WindowPlan consecutive_windows(int64_t total, int64_t context) {
  check(context > 0, "windows: the context must be positive, got {}", context);
  check(total >= 0, "windows: the number of tokens must not be negative, got {}", total);
  WindowPlan plan;
  plan.predictions_ = std::max<int64_t>(total - 1, 0);
  plan.context_ = context;
  plan.first_ = context;
  plan.count_ = plan.predictions_ / context + (plan.predictions_ % context > 0 ? 1 : 0);
  return plan;
}

WindowPlan plan_windows(int64_t total, int64_t context, uint64_t seed, uint64_t epoch) {
  WindowPlan plan = consecutive_windows(total, context);
  if (plan.predictions_ == 0) return plan;
  // Phase 0 is a full first window.
  const int64_t max_phase = std::min(context, plan.predictions_);
  const int64_t phase = static_cast<int64_t>(hash_numbers({seed, epoch, kPhaseSite}) %
                                             static_cast<uint64_t>(max_phase));
  plan.first_ = phase == 0 ? max_phase : phase;
  const int64_t rest = plan.predictions_ - plan.first_;
  plan.count_ = 1 + rest / context + (rest % context > 0 ? 1 : 0);
  plan.shuffled_ = true;
  plan.key_ = hash_numbers({seed, epoch, kOrderSite});
  return plan;
}

}  // namespace heed
