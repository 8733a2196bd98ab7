// How many steps fit into a time.
//
//   time of N steps, validated every E = N p + ceil(N / E) c
//
//   p   seconds of a step, with its share of the checkpoints that are due between validations
//   c   seconds of a validation and of the checkpoint that it ends with
//
// The last step is always validated. Validations may take a fifth of the time; if there would be
// more, they become rarer, but one remains.
#pragma once

#include <cstdint>

#include "heed/base/export.h"

namespace heed {

// Seconds that parts of a run take.
struct Speed {
  double step = 0, validation = 0, checkpoint = 0;
};

struct TimeBudget {
  double total = 0;  // seconds, from the beginning of the run
  double left = 0;   // of these, when the first step is about to be made
};

struct TimePlan {
  int64_t steps = 1;
  int64_t validations = 1;
  int64_t eval_every = 0;
};

// `eval_every` is at least 1 and becomes larger where the time asks for it. `save_every` may be 0:
// checkpoints come with validations only.
HEED_API TimePlan plan_time(const TimeBudget& budget, const Speed& speed, int64_t eval_every,
                            int64_t save_every);

}  // namespace heed
