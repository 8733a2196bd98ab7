#include "apps/cli/training.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "heed/base/error.h"
#include "heed/train/choose.h"
#include "heed/train/prepare.h"
#include "heed/train/run_folder.h"

namespace heed::cli {
namespace {

constexpr int64_t kWrittenWhileTraining = 200;  // answers scored at a validation
constexpr int64_t kSamples = 2;

bool is_frozen(const std::string& name, const std::string& parts) {
  size_t begin = 0;
  while (begin <= parts.size()) {
    const size_t end = std::min(parts.find(',', begin), parts.size());
    const std::string part = parts.substr(begin, end - begin);
    if (!part.empty() && name.starts_with(part)) return true;
    begin = end + 1;
  }
  return false;
}

// New parameters, or those of another run where they fit.
ParameterSource source_of(const TrainSettings& settings) {
  ParameterSource source{.seed = static_cast<uint64_t>(settings.seed)};
  if (!settings.init_from.empty()) {
    source.stored = [find = stored_weights(settings.init_from)](const std::string& name) {
      const Tensor found = find(name);
      return found.defined() ? found.clone() : found;
    };
    source.skip_misfits = true;
  }
  if (!settings.freeze.empty()) {
    source.frozen = [parts = settings.freeze](const std::string& name) {
      return is_frozen(name, parts);
    };
  }
  return source;
}

// The parameters of the checkpoint, so that those which are frozen are there without --init-from.
ParameterSource resumed_source(const TrainSettings& settings, const std::string& folder) {
  ParameterSource source = source_of(settings);
  if (const auto stored = checkpoint_weights(folder)) source.stored = stored;
  return source;
}

void remove_old_run(const std::string& folder) {
  for (const char* name : {"state.safetensors", "config.json", "model.safetensors", "log.jsonl",
                           "tokenizer.json", "spm.model"}) {
    std::filesystem::remove(std::filesystem::path(folder) / name);
  }
}

void tell(bool quiet, const std::string& text) {
  if (!quiet) fmt::print(stderr, "{}\n", text);
}

}  // namespace

RunResult run_training(const TrainingRequest& request) {
  const std::string& folder = request.folder;
  std::filesystem::create_directories(folder);
  const bool resumed = request.resume && is_run_folder(folder);
  std::unique_ptr<RunConfig> saved;
  if (resumed) saved = std::make_unique<RunConfig>(read_run_config(folder));
  if (saved) require_resumable(saved->settings, request.settings);
  if (!resumed) remove_old_run(folder);

  const StopSignals signals;
  const PreparedRun prepared = prepare_run(request.settings, folder, saved.get());
  for (const std::string& note : prepared.notes) tell(request.quiet, note);
  if (!resumed) {
    if (prepared.tokenizer) prepared.tokenizer->save(folder);
    write_run_config(folder, prepared.config);
  }
  const TrainSettings& settings = prepared.config.settings;
  const std::unique_ptr<Model> model = make_model(
      prepared.config.model, resumed ? resumed_source(settings, folder) : source_of(settings));
  tell(request.quiet, fmt::format("model: {:.2f} million parameters",
                                  static_cast<double>(model->parameters().count()) / 1e6));

  Trainer trainer(*model, prepared.train->corpus(), trainer_options(settings));
  const EvaluateOptions options{.most_written = kWrittenWhileTraining,
                                .samples = request.quiet ? 0 : kSamples};
  TrainingRun run(*model, trainer, [&] { return prepared.valid->evaluate(*model, options); },
                  {.folder = folder,
                   .eval_every = settings.eval_every,
                   .save_every = settings.save_every,
                   .log_every = settings.log_every,
                   .patience = settings.patience,
                   .metric = settings.metric,
                   .fingerprint = prepared.train->corpus().fingerprint()});
  if (request.resume) {
    const bool found = run.resume();
    if (!found) {
      tell(request.quiet, "there is no checkpoint yet: training starts from the beginning");
    } else if (run.was_finished()) {
      tell(request.quiet, fmt::format("this run is finished: {} steps; --steps or --epochs with a "
                                      "larger number goes on",
                                      trainer.position().step));
    } else {
      tell(request.quiet, fmt::format("going on after step {}", trainer.position().step));
    }
  }
  RunResult result;
  {
    TrainingProgress progress({.quiet = request.quiet,
                               .total_steps = trainer.total_steps(),
                               .first_step = trainer.position().step,
                               .metric = settings.metric});
    result = run.go(progress);
  }
  if (result.end == RunEnd::interrupted) {
    fmt::print(stderr,
               "interrupted after step {}, everything is saved; to go on:\n  heed train {} "
               "-o {} --resume\n",
               result.step, settings.task, folder);
    throw Interrupted();
  }
  if (result.end == RunEnd::no_improvement) {
    tell(request.quiet, fmt::format("stopped after step {}: no better {} in {} validations",
                                    result.step, settings.metric, settings.patience));
  }
  tell(request.quiet, fmt::format("the best model, of step {} ({} {:.4g}), is in {}",
                                  result.best_step, settings.metric, result.best_score, folder));
  return result;
}

}  // namespace heed::cli
