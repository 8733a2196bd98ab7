#include "apps/cli/training/training.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "apps/cli/console/program_name.h"
#include "apps/cli/console/progress.h"
#include "apps/cli/options/command.h"
#include "apps/cli/training/folder_lock.h"
#include "apps/cli/training/starting_weights.h"
#include "apps/cli/training/training_view.h"
#include "apps/message.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/train/attention_probe.h"
#include "heed/train/choose.h"
#include "heed/train/prepare.h"
#include "heed/run/run_folder.h"

namespace heed::cli {
namespace {

constexpr int64_t kWrittenWhileTraining = 200;  // answers at a validation, unless they decide
constexpr int64_t kSamples = 2;

// What else makes a model, such as heed quantize, leaves no checkpoint and no log. To begin there
// from the beginning would replace a model that training did not make.
void check_can_resume(const std::string& folder, const RunConfig& saved) {
  const auto has = [&](const char* name) {
    return std::filesystem::exists(std::filesystem::path(folder) / name);
  };
  if (saved.int8) {
    throw Error(fmt::format(
        "resume: {} holds an int8 model, which cannot be trained; go on with the run that it was "
        "made from",
        folder));
  }
  if (has("state.safetensors") || has("log.jsonl") || !has("model.safetensors")) return;
  throw Error(fmt::format(
      "resume: {0} holds a model but no checkpoint: it is not a training run that can go on. To "
      "train this model further, begin a run in another folder with --init-from {0}",
      folder));
}

void remove_old_run(const std::string& folder) {
  for (const char* name : kRunFiles) std::filesystem::remove(std::filesystem::path(folder) / name);
}

// From here on, the folder holds this run and no other.
void begin_run(const std::string& folder, const PreparedRun& prepared) {
  (void)to_json(prepared.config);  // an Error comes before anything is removed
  remove_old_run(folder);
  if (prepared.tokenizer) prepared.tokenizer->save(folder);
  write_run_config(folder, prepared.config);
}

uint64_t fingerprint_of(const PreparedRun& prepared) {
  return mix_bits(prepared.train->corpus().fingerprint() ^
                  mix_bits(prepared.valid->corpus().fingerprint()));
}

std::function<std::string(int64_t)> probe_lines(const std::optional<AttentionProbe>& probe,
                                                const Model& model) {
  if (!probe) return {};
  return [&probe, &model](int64_t step) { return probe->line(model, step); };
}

// Makes a folder if it is not there, and removes it again if nothing was put into it.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path) : path_(path) {
    std::error_code error;
    made_ = std::filesystem::create_directories(path, error);
    if (!std::filesystem::is_directory(path)) {
      throw Error(fmt::format("{}: cannot make the folder: {}", path,
                              error ? error.message() : "there is a file of this name"));
    }
  }
  ~NewFolder() {
    std::error_code ignored;
    if (made_) std::filesystem::remove(path_, ignored);  // fails unless it is empty
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

 private:
  std::string path_;
  bool made_ = false;
};

// "train lm", "finetune"
std::string command_of(const TrainingRequest& request) {
  return request.command == "train" ? fmt::format("train {}", name_of(request.settings.task))
                                    : request.command;
}

// What to type after a loss that exploded.
std::string remedy(const TrainingRequest& request, const TrainSettings& settings) {
  if (request.is_temporary) return {};
  const bool saved = std::filesystem::exists(request.folder + "/state.safetensors");
  return fmt::format(
      ": heed {} -o {} --resume --lr {:.2g} {}", command_of(request), request.folder,
      settings.lr / 10,
      saved ? "goes on from the last checkpoint; if that is spoilt already, begin anew with "
              "--overwrite"
            : "begins anew, for there is no checkpoint yet");
}

void tell(bool quiet, const std::string& text) {
  if (!quiet) say("{}\n", text);
}

}  // namespace

RunResult run_training(const TrainingRequest& request) {
  const std::string& folder = request.folder;
  (void)to_json(request.settings);  // an Error comes before the work
  const NewFolder new_folder(folder);
  const FolderLock lock(folder);
  std::optional<TrainingView> view;
  if (request.view_port >= 0) view.emplace(folder, request.view_port);
  const bool resumed = request.resume && is_run_folder(folder);
  std::unique_ptr<RunConfig> saved;
  if (resumed) saved = std::make_unique<RunConfig>(read_run_config(folder));
  if (saved) {
    require_resumable(folder, saved->settings, request.settings,
                      std::filesystem::exists(folder + "/state.safetensors"));
    check_can_resume(folder, *saved);
    for (const std::string& change : changed_settings(saved->settings, request.settings)) {
      tell(request.quiet, "changed: " + change);
    }
  }

  const StopSignals signals;
  const PreparedRun prepared = request.prepare
                                   ? request.prepare(request.settings, folder, saved.get())
                                   : prepare_run(request.settings, folder, saved.get());
  for (const std::string& note : prepared.notes) tell(request.quiet, note);
  const TrainSettings& settings = prepared.config.settings;
  // To draw numbers for a model that turns out too large would take long.
  make_model(prepared.config.model, {.most = most_parameters(), .only_count = true});
  const std::unique_ptr<Model> model =
      make_model(prepared.config.model, resumed ? resumed_weights(prepared.config, folder)
                                                : starting_weights(prepared.config));
  const auto count = static_cast<double>(model->parameters().count());
  tell(request.quiet, count < 1e5 ? fmt::format("model: {:.0f} parameters", count)
                                  : fmt::format("model: {:.2f} million parameters", count / 1e6));

  if (!settings.freeze.empty()) check_frozen(*model, settings.freeze);
  const bool has_checkpoint = resumed && checkpoint_weights(folder);
  if (!settings.init_from.empty() && !has_checkpoint) {
    tell(request.quiet, taken_weights(*model, prepared.config));
  }

  const std::unique_ptr<Objective> objective = prepared.train->objective(*model);
  Trainer trainer(*model, prepared.train->corpus(), trainer_options(settings), objective.get());
  const bool texts_decide = is_pair_task(settings.task) && settings.metric != "loss";
  const int64_t written = texts_decide ? 0 : kWrittenWhileTraining;
  const int64_t validated = prepared.valid->corpus().size();
  if (is_pair_task(settings.task) && written > 0 && validated > written) {
    tell(request.quiet,
         fmt::format("validations: the loss of all {} pairs, answers to the first {}", validated,
                     written));
  }
  const EvaluateOptions options{.most_written = written, .samples = kSamples};
  std::optional<AttentionProbe> probe;
  if (request.is_watched) {
    probe.emplace(prepared.config, prepared.tokenizer, prepared.valid->corpus());
    if (!probe->has_attention(*model)) probe.reset();
  }
  TrainingRun run(*model, trainer, [&] { return prepared.valid->evaluate(*model, options); },
                  {.folder = folder,
                   .eval_every = settings.eval_every,
                   .save_every = settings.save_every,
                   .log_every = settings.log_every,
                   .patience = settings.patience,
                   .metric = settings.metric,
                   .only_trained = settings.lora > 0,
                   .fingerprint = fingerprint_of(prepared),
                   .probe = probe_lines(probe, *model)});
  if (!resumed) begin_run(folder, prepared);
  if (request.resume) {
    const bool found = run.resume();
    const bool asks_for_steps = saved && saved->settings.steps != settings.steps;
    if (asks_for_steps && settings.steps > 0 && settings.steps < trainer.position().step) {
      throw Error(
          fmt::format("--steps {}: this run has made {} already; give a larger number, or "
                      "leave it out",
                      settings.steps, trainer.position().step));
    }
    if (!found) {
      tell(request.quiet, "there is no checkpoint yet: training starts from the beginning");
    } else if (run.was_finished() && !trainer.finished()) {
      tell(request.quiet,
           fmt::format("this run is finished: it stopped after step {}, without a better {} in {} "
                       "validations; --patience with a larger number, or 0, goes on",
                       trainer.position().step, settings.metric, settings.patience));
    } else if (run.was_finished()) {
      tell(request.quiet, fmt::format("this run is finished: {} steps; --steps or --epochs with a "
                                      "larger number goes on",
                                      trainer.position().step));
    } else {
      tell(request.quiet, fmt::format("going on after step {}", trainer.position().step));
    }
  }
  if (saved && to_json(saved->settings) != to_json(settings)) {
    write_run_config(folder, prepared.config);
  }
  RunResult result;
  {
    TrainingProgress progress({.quiet = request.quiet,
                               .total_steps = trainer.total_steps(),
                               .first_step = trainer.position().step,
                               .unit = settings.task == Task::classify ? "texts"
                                       : settings.task == Task::tag    ? "words"
                                                                       : "tok"});
    try {
      result = run.go(progress);
    } catch (const Diverged& error) {
      throw Error(error.what() + remedy(request, settings));
    }
  }
  if (result.end == RunEnd::interrupted) {
    if (request.is_temporary) {
      say("interrupted after step {}; nothing is kept\n", result.step);
      throw Interrupted();
    }
    say("interrupted after step {}, everything is saved; to go on:\n  {} {} -o {} --resume\n",
        result.step, program_name(), command_of(request), folder);
    throw Interrupted();
  }
  if (result.end == RunEnd::no_improvement) {
    tell(request.quiet, fmt::format("stopped after step {}: no better {} in {} validations",
                                    result.step, settings.metric, settings.patience));
  }
  if (result.end == RunEnd::ran_away) {
    say("stopped after step {}: {}\n", result.step, result.reason);
  }
  if (!request.is_temporary) {
    tell(request.quiet, fmt::format("the best model, of step {} ({} {:.4g}), is in {}",
                                    result.best_step, settings.metric, result.best_score, folder));
  }
  return result;
}

}  // namespace heed::cli
