#include "heed/train/run_training.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/run/run_folder.h"
#include "heed/train/attention_trace.h"
#include "heed/train/choose_settings.h"
#include "heed/train/folder_lock.h"
#include "heed/train/new_folder_internal.h"
#include "heed/train/starting_weights_internal.h"
#include "heed/train/time_fit_internal.h"
#include "heed/train/training_run.h"

namespace heed {
namespace {

constexpr int64_t kGeneratedWhileTraining = 200;  // answers at a validation, unless they decide
constexpr int64_t kSamples = 2;

bool has_file(const std::string& folder, const char* name) {
  return std::filesystem::exists(std::filesystem::path(folder) / name);
}

// What else makes a model, such as heed quantize, leaves no checkpoint and no log. To begin there
// from the beginning would replace a model that training did not make.
void check_can_resume(const std::string& folder, const RunConfig& saved) {
  check(!saved.int8,
        "resume: {} holds an int8 model, which cannot be trained; go on with the run that it was "
        "made from",
        folder);
  const bool has_run = has_file(folder, "state.safetensors") || has_file(folder, "log.jsonl") ||
                       !has_file(folder, "model.safetensors");
  check(has_run,
        "resume: {0} holds a model but no checkpoint: it is not a training run that can go on. To "
        "train this model further, begin a run in another folder with `init-from` {0}",
        folder);
}

// From here on, the folder holds this run and no other.
void begin_run(const std::string& folder, const PreparedRun& prepared) {
  (void)to_json(prepared.config);  // an Error comes before anything is removed
  for (const char* name : kRunFiles) std::filesystem::remove(std::filesystem::path(folder) / name);
  if (prepared.tokenizer) prepared.tokenizer->save(folder);
  write_run_config(folder, prepared.config);
}

uint64_t fingerprint_of_data(const PreparedRun& prepared) {
  return mix_bits(prepared.train->corpus().fingerprint() ^
                  mix_bits(prepared.valid->corpus().fingerprint()));
}

std::string size_text(int64_t parameters) {
  const auto count = static_cast<double>(parameters);
  return count < 1e5 ? fmt::format("model: {:.0f} parameters", count)
                     : fmt::format("model: {:.2f} million parameters", count / 1e6);
}

// The run of the folder, if it goes on; what is changed is told.
std::unique_ptr<RunConfig> saved_run(const TrainSettings& settings, const std::string& folder,
                                     RunEvents& events) {
  auto saved = std::make_unique<RunConfig>(read_run_config(folder));
  require_resumable(folder, saved->settings, settings, has_file(folder, "state.safetensors"));
  check_can_resume(folder, *saved);
  for (const std::string& change : changed_settings(saved->settings, settings)) {
    events.noted("changed: " + change);
  }
  return saved;
}

// How validations are made; what they leave out is told.
EvaluateOptions validation_options(const PreparedRun& prepared, RunEvents& events) {
  const TrainSettings& settings = prepared.config.settings;
  const bool is_pairs = is_pair_task(settings.task);
  if (is_pairs && settings.metric != kLossMetric) return {.samples = kSamples};
  const int64_t validated = prepared.valid->corpus().size();
  if (is_pairs && validated > kGeneratedWhileTraining) {
    events.noted(fmt::format("validations: the loss of all {} pairs, answers to the first {}",
                             validated, kGeneratedWhileTraining));
  }
  return {.max_generated = kGeneratedWhileTraining, .samples = kSamples};
}

// Takes up the checkpoint, and tells where the run stands.
void take_up(TrainingRun& run, const Trainer& trainer, const TrainSettings& settings,
             const RunConfig* saved, RunEvents& events) {
  const bool found = run.resume();
  const int64_t step = trainer.position().step;
  const bool asks_for_steps = saved != nullptr && saved->settings.steps != settings.steps;
  check(!asks_for_steps || settings.steps == 0 || settings.steps >= step,
        "`steps` {}: this run has made {} already; give a larger number, or leave it out",
        settings.steps, step);
  if (!found) {
    events.noted("there is no checkpoint yet: training starts from the beginning");
  } else if (run.was_finished() && !trainer.finished()) {
    events.noted(
        fmt::format("this run is finished: it stopped after step {}, without a better {} in {} "
                    "validations; `patience` with a larger number, or 0, goes on",
                    step, settings.metric, settings.patience));
  } else if (run.was_finished()) {
    events.noted(
        fmt::format("this run is finished: {} steps; `steps` or `epochs` with a larger number goes "
                    "on",
                    step));
  } else {
    events.noted(fmt::format("going on after step {}", step));
  }
}

}  // namespace

void require_free_folder(const std::string& folder, const TrainOptions& options) {
  check(options.resume || options.overwrite || !is_run_folder(folder),
        "{} already holds a run; go on with it (`resume`), begin anew (`overwrite`), or name "
        "another folder",
        folder);
}

RunResult run_training(const TrainSettings& given, const std::string& folder,
                       const Prepare& prepare, RunEvents& events, const TrainOptions& options) {
  require_in_range(given);
  (void)to_json(given);  // an Error comes before the work
  const NewFolder new_folder(folder);
  const FolderLock lock(folder);
  events.opened(folder);
  const bool resumed = options.resume && is_run_folder(folder);
  std::unique_ptr<RunConfig> saved;
  if (resumed) saved = saved_run(given, folder, events);

  std::optional<TimeFit> fit;
  if (options.minutes > 0) fit.emplace(60 * options.minutes, options.clock);
  PreparedRun prepared = prepare(fit ? fit->provisional(given) : given, folder, saved.get());
  for (const std::string& note : prepared.notes) events.noted(note);
  const TrainSettings& settings = prepared.config.settings;
  // To draw numbers for a model that turns out too large would take long.
  make_model(prepared.config.model, {.max_parameters = max_parameters(), .only_count = true});
  const std::unique_ptr<Model> model =
      make_model(prepared.config.model, resumed ? resumed_weights(prepared.config, folder)
                                                : starting_weights(prepared.config));
  events.noted(size_text(model->parameters().count()));
  if (!settings.freeze.empty()) check_frozen(*model, settings.freeze);
  const bool has_checkpoint = resumed && checkpoint_weights(folder);
  if (!settings.init_from.empty() && !has_checkpoint) {
    events.noted(taken_weights(*model, prepared.config));
  }

  const EvaluateOptions validation = validation_options(prepared, events);
  if (fit) fit->choose_steps(prepared, folder, validation, events);
  const std::unique_ptr<Objective> objective = prepared.train->objective(*model);
  Trainer trainer(*model, prepared.train->corpus(), trainer_options(settings), objective.get());
  std::optional<AttentionTrace> trace;
  if (options.traces_attention) {
    trace.emplace(prepared.config, prepared.tokenizer, prepared.valid->corpus());
    if (!trace->has_attention(*model)) trace.reset();
  }
  RunOptions run_options{.folder = folder,
                         .eval_every = settings.eval_every,
                         .save_every = settings.save_every,
                         .log_every = settings.log_every,
                         .patience = settings.patience,
                         .metric = settings.metric,
                         .only_trained = settings.lora > 0,
                         .fingerprint = fingerprint_of_data(prepared)};
  if (trace) run_options.probe = [&](int64_t step) { return trace->line(*model, step); };
  TrainingRun run(
      *model, trainer, [&] { return prepared.valid->evaluate(*model, validation); }, run_options);
  if (!resumed) begin_run(folder, prepared);
  if (options.resume) take_up(run, trainer, settings, saved.get(), events);
  if (saved && to_json(saved->settings) != to_json(settings)) {
    write_run_config(folder, prepared.config);
  }
  events.began({.task = settings.task,
                .first_step = trainer.position().step,
                .total_steps = trainer.total_steps()});
  RunResult result = run.go(events);
  result.metric = settings.metric;
  if (result.end == RunEnd::no_improvement) {
    result.reason =
        fmt::format("no better {} in {} validations", settings.metric, settings.patience);
  }
  return result;
}

}  // namespace heed
