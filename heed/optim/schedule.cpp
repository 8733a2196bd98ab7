#include "heed/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/base/fail.h"

namespace heed {
namespace {

void check_schedule(const Schedule& schedule) {
  check(std::isfinite(schedule.peak) && schedule.peak >= 0,
        "schedule: the peak must be a number >= 0, got {}", schedule.peak);
  check(schedule.floor >= 0 && schedule.floor <= schedule.peak,
        "schedule: the floor must be from 0 to the peak, {}, got {}", schedule.peak,
        schedule.floor);
  check(schedule.warmup >= 0, "schedule: warmup must be >= 0, got {}", schedule.warmup);
  const bool ends = schedule.kind == ScheduleKind::linear || schedule.kind == ScheduleKind::cosine;
  check(!ends || schedule.total_steps > 0,
        "schedule: linear and cosine need the number of steps in all, got {}",
        schedule.total_steps);
}

}  // namespace

double learning_rate(const Schedule& schedule, int64_t step) {
  check_schedule(schedule);
  check(step >= 0, "schedule: the step must be >= 0, got {}", step);
  const double peak = schedule.peak, floor = schedule.floor;
  const auto t = static_cast<double>(step + 1);
  const auto warmup = static_cast<double>(schedule.warmup);
  if (step < schedule.warmup) return peak * t / warmup;

  if (schedule.kind == ScheduleKind::constant) return peak;
  if (schedule.kind == ScheduleKind::inverse_sqrt) {
    return std::max(floor, peak * std::sqrt(std::max(warmup, 1.0) / t));
  }
  if (step >= schedule.total_steps) return floor;
  const double x = (t - 1 - warmup) / (static_cast<double>(schedule.total_steps) - warmup);
  if (schedule.kind == ScheduleKind::linear) return peak + (floor - peak) * x;
  return floor + (peak - floor) * (1 + std::cos(std::numbers::pi * x)) / 2;
}

}  // namespace heed
