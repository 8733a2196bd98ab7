#include "heed/train/train.h"

#include <filesystem>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"
#include "heed/train/prepare_run.h"
#include "heed/train/run_training.h"

namespace heed {
namespace {

// Without a config.json it is not known whose files these are.
void require_no_other_files(const std::string& folder, const TrainOptions& options) {
  if (options.resume || options.overwrite || is_run_folder(folder)) return;
  for (const char* name : kRunFiles) {
    check(
        !std::filesystem::exists(std::filesystem::path(folder) / name),
        "{0} is no run of heed, but has a file {1}, which would be replaced; name another folder, "
        "or add `overwrite` if {1} may go",
        folder, name);
  }
}

// A run that is stopped before its first checkpoint begins anew, from that model.
void require_other_folder(const std::string& init_from, const std::string& folder) {
  std::error_code not_there;
  check(!std::filesystem::equivalent(init_from, folder, not_there),
        "`init-from` {}: the new run would replace the model that it begins with; name another "
        "folder than {}",
        init_from, folder);
}

}  // namespace

RunResult train(const GivenSettings& given, const std::string& folder, RunEvents& events,
                const TrainOptions& options) {
  const bool resumed = options.resume && is_run_folder(folder);
  std::vector<std::string> notes;
  TrainSettings settings =
      resumed ? resumed_settings(given, folder, notes) : new_settings(given, notes);
  apply_minutes(given, options, resumed, settings);
  check(!options.resume || resumed || !settings.train.empty(),
        "there is no run in {} to go on with; to begin one, `train` is required: the file, or "
        "files, to train on",
        folder);
  if (!resumed) require_other_folder(settings.init_from, folder);
  require_free_folder(folder, options);
  require_no_other_files(folder, options);
  for (const std::string& note : notes) events.noted(note);
  return run_training(settings, folder, prepare_run, events, options);
}

}  // namespace heed
