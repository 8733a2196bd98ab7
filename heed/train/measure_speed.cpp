#include <algorithm>
#include <chrono>
#include <filesystem>

#include "heed/io/safetensors.h"
#include "heed/train/choose_settings.h"
#include "heed/train/measure_speed_internal.h"
#include "heed/train/starting_weights_internal.h"
#include "heed/train/trainer.h"

namespace heed {
namespace {

constexpr int64_t kWarmUp = 2, kMinSteps = 3;
constexpr double kMeasured = 0.02;   // of the budget
constexpr double kMaxMeasured = 10;  // seconds
constexpr int64_t kEndless = int64_t{1} << 40;

// At a rate of 0: a step takes as long, and no rate can be too high.
TrainerOptions measured_options(const TrainSettings& settings) {
  TrainerOptions options = trainer_options(settings);
  options.steps = kEndless;
  options.epochs = 0;
  options.schedule = {.kind = ScheduleKind::constant, .peak = 0};
  return options;
}

// Of steps that take turns, as those of a round of answers do, as many as make whole rounds.
double seconds_per_step(Trainer& trainer, double budget, int64_t round, const Clock& clock) {
  const double wanted = std::min(kMeasured * budget, kMaxMeasured);
  double begin = clock();
  const double first = begin;
  for (int64_t i = 0; i < kWarmUp && begin - first <= wanted; ++i) {
    trainer.step();
    begin = clock();
  }
  int64_t steps = 0;
  double now = begin;
  while (steps < kMinSteps || now - begin < wanted || steps % round != 0) {
    trainer.step();
    now = clock();
    ++steps;
  }
  return (now - begin) / static_cast<double>(steps);
}

// A file of the size of a checkpoint with the best weights and the model beside it.
void write_and_remove(const Model& model, const Trainer& trainer, const std::string& folder) {
  std::vector<NamedTensor> tensors = trainer.state();
  for (const char* prefix : {"best.", "export."}) {
    for (const NamedParameter& parameter : model.parameters().list()) {
      tensors.push_back({prefix + parameter.name, parameter.variable.value()});
    }
  }
  const std::filesystem::path file = std::filesystem::path(folder) / "speed.safetensors";
  write_safetensors(file.string(), tensors);
  std::filesystem::remove(file);
}

}  // namespace

Clock clock_or_default(Clock clock) {
  if (clock) return clock;
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

Speed measure_speed(const PreparedRun& prepared, const SpeedOptions& options, const Clock& clock) {
  const std::unique_ptr<Model> model =
      make_model(prepared.config.model, starting_weights(prepared.config));
  const std::unique_ptr<Objective> objective = prepared.train->objective(*model);
  Trainer trainer(*model, prepared.train->corpus(), measured_options(prepared.config.settings),
                  objective.get());
  const int64_t round = std::max<int64_t>(prepared.config.settings.passes, 1);
  Speed speed{.step = seconds_per_step(trainer, options.budget, round, clock)};
  EvaluateOptions validation = options.validation;
  validation.usual_answers = true;
  const double begin = clock();
  (void)prepared.valid->evaluate(*model, validation);
  const double validated = clock();
  write_and_remove(*model, trainer, options.folder);
  speed.validation = validated - begin;
  speed.checkpoint = clock() - validated;
  return speed;
}

}  // namespace heed
