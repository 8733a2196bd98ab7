#include "apps/cli/training/training.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "apps/cli/console/program_name.h"
#include "apps/cli/console/progress.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/training/training_view.h"
#include "apps/message.h"
#include "heed/base/error.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"

namespace heed::cli {
namespace {

// What is counted in the speed of a task.
const char* unit_of(Task task) {
  if (task == Task::classify) return "texts";
  return task == Task::tag ? "words" : "tok";
}

class ShownEvents final : public RunEvents {
 public:
  explicit ShownEvents(const ShownTraining& shown) : shown_(shown) {}

  void opened(const std::string& folder) override {
    signals_.emplace();
    if (shown_.view_port >= 0) view_.emplace(folder, shown_.view_port);
  }
  void noted(const std::string& text) override {
    if (!shown_.quiet) say("{}\n", with_option_names(text));
  }
  void began(const RunStart& start) override {
    progress_.emplace(ProgressOptions{.quiet = shown_.quiet,
                                      .total_steps = start.total_steps,
                                      .first_step = start.first_step,
                                      .unit = unit_of(start.task)});
  }
  void stepped(const StepReport& report) override { progress_->stepped(report); }
  void evaluated(int64_t step, const Evaluation& evaluation, bool is_best) override {
    progress_->evaluated(step, evaluation, is_best);
  }
  bool stop_requested() override { return StopSignals::received(); }

  // Nothing is to be drawn any more.
  void end_progress() { progress_.reset(); }

 private:
  const ShownTraining& shown_;
  std::optional<StopSignals> signals_;
  std::optional<TrainingView> view_;
  std::optional<TrainingProgress> progress_;
};

// "train lm", "finetune"
std::string command_of(const ShownTraining& shown) {
  if (shown.command != "train") return shown.command;
  return fmt::format("train {}", name_of(read_run_config(shown.folder).settings.task));
}

// What to type after a loss that exploded.
std::string remedy(const ShownTraining& shown) {
  if (shown.is_temporary) return {};
  const bool saved = std::filesystem::exists(shown.folder + "/state.safetensors");
  return fmt::format(
      ": heed {} -o {} --resume --lr {:.2g} {}", command_of(shown), shown.folder,
      read_run_config(shown.folder).settings.lr / 10,
      saved ? "goes on from the last checkpoint; if that is spoilt already, begin anew with "
              "--overwrite"
            : "begins anew, for there is no checkpoint yet");
}

[[noreturn]] void end_interrupted(const ShownTraining& shown, const RunResult& result) {
  if (shown.is_temporary) {
    say("interrupted after step {}; nothing is kept\n", result.step);
  } else {
    say("interrupted after step {}, everything is saved; to go on:\n  {} {} -o {} --resume\n",
        result.step, program_name(), command_of(shown), shown.folder);
  }
  throw Interrupted();
}

}  // namespace

RunResult show_training(const ShownTraining& shown,
                        const std::function<RunResult(RunEvents& events)>& train) {
  ShownEvents events(shown);
  RunResult result;
  try {
    result = train(events);
  } catch (const Diverged& error) {
    throw Error(error.what() + remedy(shown));
  }
  events.end_progress();
  if (result.end == RunEnd::interrupted) end_interrupted(shown, result);
  const bool stopped_early = result.end != RunEnd::all_steps;
  if (stopped_early && (result.end == RunEnd::ran_away || !shown.quiet)) {
    say("stopped after step {}: {}\n", result.step, with_option_names(result.reason));
  }
  if (!shown.is_temporary && !shown.quiet) {
    say("the best model, of step {} ({} {:.4g}), is in {}\n", result.best_step, result.metric,
        result.best_score, shown.folder);
  }
  return result;
}

RunResult train_in_workshop(const TrainSettings& settings, const std::string& folder, bool quiet) {
  return show_training({.folder = folder, .quiet = quiet, .is_temporary = true},
                       [&](RunEvents& events) { return heed::train(settings, folder, events); });
}

}  // namespace heed::cli
