#include "heed/train/time_plan.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr double kForValidations = 0.2;  // of the budget, at most
constexpr double kIdle = 0.03;           // of the budget, that may be left over at the end
constexpr double kLeastStep = 1e-9;      // seconds
constexpr double kMaxSteps = 1e12;

// As a whole number that a run may have; a little is added so that 3 is not 2.999..
int64_t whole(double count) {
  return static_cast<int64_t>(std::clamp(std::floor(count + 1e-6), 0.0, kMaxSteps));
}

// The steps that fit beside so many validations, and how far these are apart.
TimePlan with_validations(int64_t validations, double left, double step, double validation,
                          int64_t eval_every) {
  TimePlan plan{.validations = validations};
  const double for_steps = left - static_cast<double>(validations) * validation;
  plan.steps = std::max<int64_t>(whole(for_steps / step), 1);
  plan.eval_every = std::max(eval_every, (plan.steps + validations - 1) / validations);
  return plan;
}

}  // namespace

TimePlan plan_time(const TimeBudget& budget, const Speed& speed, int64_t eval_every,
                   int64_t save_every) {
  const double share = save_every > 0 ? speed.checkpoint / static_cast<double>(save_every) : 0;
  const double step = std::max(speed.step + share, kLeastStep);
  const double validation = speed.validation + speed.checkpoint;
  const double period = static_cast<double>(eval_every) * step + validation;
  const int64_t periods = whole(budget.left / period);
  const double rest = budget.left - static_cast<double>(periods) * period;
  const int64_t more = whole((rest - validation) / step);
  const int64_t validations = std::max<int64_t>(periods + (more > 0 ? 1 : 0), 1);
  const int64_t allowed =
      validation > 0 ? std::max<int64_t>(whole(kForValidations * budget.total / validation), 1)
                     : validations;
  if (validations > allowed) {
    return with_validations(allowed, budget.left, step, validation, eval_every);
  }
  // What is left may be too short for a validation and yet long.
  if (more == 0 && periods > 0 && rest > kIdle * budget.total) {
    return with_validations(periods, budget.left, step, validation, eval_every);
  }
  return {.steps = std::max<int64_t>(periods * eval_every + more, 1),
          .validations = validations,
          .eval_every = eval_every};
}

}  // namespace heed
