// Windows of a long stream of tokens, for a language model.
//
// A window [begin, end) reads the tokens begin .. end - 1 and predicts the tokens begin + 1 .. end,
// so it needs the tokens [begin, end + 1). Together the windows predict each token of the stream,
// except the very first, exactly once.
//
//   const WindowPlan plan = plan_windows(store.total(), 256, seed, epoch);
//   for (int64_t i = 0; i < plan.count(); ++i) use(plan[i].begin, plan[i].end);
//
// A plan takes no memory: its order is a permutation that is computed on demand.
#pragma once

#include <cstdint>

#include "heed/base/export.h"

namespace heed {

struct Window {
  int64_t begin, end;

  int64_t length() const { return end - begin; }
  bool operator==(const Window&) const = default;
};

class HEED_API WindowPlan {
 public:
  int64_t count() const { return count_; }
  Window operator[](int64_t i) const;

 private:
  friend HEED_API WindowPlan consecutive_windows(int64_t total, int64_t context);
  friend HEED_API WindowPlan plan_windows(int64_t total, int64_t context, uint64_t seed,
                                          uint64_t epoch);

  int64_t predictions_ = 0;  // total - 1
  int64_t context_ = 1;
  int64_t first_ = 1;  // length of the first window
  int64_t count_ = 0;
  bool shuffled_ = false;
  uint64_t key_ = 0;
};

// In order, each of `context` tokens but the last: for evaluation.
HEED_API WindowPlan consecutive_windows(int64_t total, int64_t context);

// For training: the first window is shorter by a phase that depends on (seed, epoch), so that the
// cuts fall elsewhere in each epoch, and the windows come in an order that depends on it too.
HEED_API WindowPlan plan_windows(int64_t total, int64_t context, uint64_t seed, uint64_t epoch);

}  // namespace heed
