// The learning rate as a function of the step.
//
//   s = 0, 1, ..    the step; 0 is the first
//   warm-up         peak (s + 1) / warmup                             while s < warmup
//   constant        peak
//   linear          peak + (floor - peak) x                  x = (s - warmup) / (T - warmup)
//   cosine          floor + (peak - floor) (1 + cos(pi x)) / 2        and floor from s = T on
//   inverse_sqrt    max(floor, peak sqrt(warmup / (s + 1)))           (Vaswani et al. 2017)
//
// T is total_steps; only linear and cosine know an end. Without warm-up, inverse_sqrt falls from
// the first step on, as with a warm-up of 1.
#pragma once

#include <cstdint>

#include "heed/base/export.h"

namespace heed {

enum class ScheduleKind : uint8_t { constant, linear, cosine, inverse_sqrt };

struct Schedule {
  ScheduleKind kind = ScheduleKind::constant;
  double peak = 1e-3;       // the highest rate, reached at the end of warm-up
  int64_t warmup = 0;       // steps
  int64_t total_steps = 0;  // of linear and cosine
  double floor = 0;         // the lowest rate after warm-up
};

HEED_API double learning_rate(const Schedule& schedule, int64_t step);

}  // namespace heed
