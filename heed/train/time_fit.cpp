#include "heed/base/fail.h"
#include "heed/train/time_fit_internal.h"

namespace heed {
namespace {

constexpr int kTries = 3;

// "3.2 ms", "12 s"
std::string time_text(double seconds) {
  return seconds < 0.1 ? fmt::format("{:.2g} ms", 1000 * seconds)
                       : fmt::format("{:.3g} s", seconds);
}

std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

TimeFit::TimeFit(double seconds, const Clock& clock)
    : seconds_(seconds), clock_(clock_or_default(clock)), begin_(clock_()) {}

TrainSettings TimeFit::provisional(const TrainSettings& given) {
  TrainSettings settings = given;
  settings.steps = 1;
  settings.epochs = 0;
  return settings;
}

void TimeFit::choose_steps(PreparedRun& prepared, const std::string& folder,
                           const EvaluateOptions& validation, RunEvents& events) const {
  check(prepared.with_steps != nullptr,
        "`minutes`: this run cannot fit its steps to a time; give `steps`");
  const Speed speed = measure_speed(
      prepared, {.folder = folder, .validation = validation, .budget = seconds_}, clock_);
  const TimeBudget budget{.total = seconds_, .left = seconds_ - (clock_() - begin_)};
  // How often to validate may depend on the steps, which depend on how often.
  const int64_t save_every = prepared.config.settings.save_every;
  int64_t wanted = prepared.config.settings.eval_every;
  TimePlan plan = plan_time(budget, speed, wanted, save_every);
  for (int i = 0; i < kTries; ++i) {
    wanted = prepared.with_steps(plan.steps).eval_every;
    plan = plan_time(budget, speed, wanted, save_every);
  }
  prepared.config.settings = prepared.with_steps(plan.steps);
  prepared.config.settings.eval_every = plan.eval_every;
  events.noted(fmt::format("minutes: {} of about {}, {} of about {}", counted(plan.steps, "step"),
                           time_text(speed.step), counted(plan.validations, "validation"),
                           time_text(speed.validation + speed.checkpoint)));
  if (plan.eval_every != wanted) {
    events.noted(fmt::format(
        "to fit into the time, there is a validation every {} steps instead of every {}",
        plan.eval_every, wanted));
  }
}

}  // namespace heed
