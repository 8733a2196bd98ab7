#include "heed/tuning/tune.h"

#include <filesystem>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"
#include "heed/train/run_training.h"
#include "heed/tuning/tuning.h"

namespace heed {
namespace {

struct TuningKind {
  const char* name;  // "finetune"
  Task task;         // of the run that it makes
  Prepare prepare;
};

TrainSettings tuned_settings(const TuningKind& kind, const GivenSettings& given,
                             const std::string& folder, bool resumed) {
  check(given.config.empty(), "{}: tuning takes no file of settings", kind.name);
  const Task task = given.settings.task;
  check(task == Task::none || task == kind.task, "{}: the task is {}, not {}", kind.name,
        name_of(kind.task), name_of(task));
  TrainSettings settings;
  settings.task = kind.task;
  if (resumed) {
    settings = read_run_config(folder).settings;
    check(!settings.base.empty() && settings.task == kind.task, "{} does not hold a run of heed {}",
          folder, kind.name);
  }
  const std::string base = settings.base;
  apply_named(given, settings);
  if (settings.base != base) {
    settings.base = std::filesystem::absolute(settings.base).lexically_normal().string();
  }
  return settings;
}

RunResult tune(const TuningKind& kind, const GivenSettings& given, const std::string& folder,
               RunEvents& events, const TrainOptions& options) {
  const bool resumed = options.resume && is_run_folder(folder);
  TrainSettings settings = tuned_settings(kind, given, folder, resumed);
  apply_minutes(given, options, resumed, settings);
  require_free_folder(folder, options);
  std::error_code not_there;
  check(!options.overwrite || !std::filesystem::equivalent(folder, settings.base, not_there),
        "`overwrite` would replace the model that is to be tuned; name another folder");
  return run_training(settings, folder, kind.prepare, events, options);
}

}  // namespace

RunResult finetune(const GivenSettings& given, const std::string& folder, RunEvents& events,
                   const TrainOptions& options) {
  return tune({"finetune", Task::lm, prepare_finetune}, given, folder, events, options);
}

RunResult train_reward(const GivenSettings& given, const std::string& folder, RunEvents& events,
                       const TrainOptions& options) {
  return tune({"reward", Task::reward, prepare_reward}, given, folder, events, options);
}

RunResult align(const GivenSettings& given, const std::string& folder, RunEvents& events,
                const TrainOptions& options, const FindJudge& judges) {
  const Prepare prepare = [&](const TrainSettings& settings, const std::string& to,
                              const RunConfig* saved) {
    const bool is_judged = !settings.judge.empty() && judges;
    return prepare_align(settings, to, saved, is_judged ? judges(settings.judge) : Judge());
  };
  return tune({"align", Task::lm, prepare}, given, folder, events, options);
}

}  // namespace heed
