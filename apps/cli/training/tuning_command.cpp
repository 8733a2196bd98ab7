#include "apps/cli/training/tuning_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/setting_options.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/run/run_folder.h"
#include "heed/tuning/record_report.h"

namespace heed::cli {
namespace {

// Settings that every way of tuning offers.
constexpr const char* kUsual[] = {
    "train",     "valid",        "template",     "bad-records", "freeze",     "lora",
    "dropout",   "batch",        "batch-tokens", "shards",      "accumulate", "steps",
    "epochs",    "lr",           "schedule",     "warmup",      "clip",       "seed",
    "optimizer", "weight-decay", "average",      "eval-every",  "save-every", "log-every",
    "patience",  "metric",       "probe"};

std::vector<const Setting*> offered_by(const TuningCommand& tuning) {
  std::vector<const char*> names(std::begin(kUsual), std::end(kUsual));
  names.insert(names.end(), tuning.settings.begin(), tuning.settings.end());
  return settings_named(names);
}

TrainSettings complete_settings(const Command& command, const TuningCommand& tuning,
                                const TuningArguments& arguments, bool resumed) {
  TrainSettings settings;
  settings.task = tuning.task;
  if (resumed) {
    settings = read_run_config(arguments.run.output).settings;
    if (settings.base.empty() || settings.task != tuning.task) {
      throw Error(
          fmt::format("{} does not hold a run of heed {}", arguments.run.output, tuning.name));
    }
  }
  lay_settings(command, offered_by(tuning), arguments.settings, settings);
  if (command.has("--model")) {
    settings.base = std::filesystem::absolute(arguments.settings.base).lexically_normal().string();
  }
  return settings;
}

// The preparation, which says what to do about a record that cannot be used.
auto with_advice(const TuningCommand& tuning) {
  return
      [&tuning](const TrainSettings& settings, const std::string& folder, const RunConfig* saved) {
        try {
          return tuning.prepare(settings, folder, saved);
        } catch (const BadRecord& error) {
          throw Error(fmt::format("{}; --bad-records skip leaves such records out", error.what()));
        }
      };
}

void tune(const Command& command, const TuningCommand& tuning, const TuningArguments& arguments) {
  if (arguments.run.threads > 0) set_threads(arguments.run.threads);
  const bool resumed = arguments.run.resume && is_run_folder(arguments.run.output);
  const TrainSettings settings = complete_settings(command, tuning, arguments, resumed);
  require_free_folder(arguments.run, tuning.name);
  if (arguments.run.overwrite && std::filesystem::exists(arguments.run.output) &&
      std::filesystem::equivalent(arguments.run.output, settings.base)) {
    throw Error("--overwrite would replace the model that is to be tuned; name another folder");
  }
  run_training({.settings = settings,
                .folder = arguments.run.output,
                .resume = arguments.run.resume,
                .quiet = arguments.run.quiet,
                .view_port = arguments.run.view_port,
                .command = tuning.name,
                .prepare = with_advice(tuning)});
  if (!arguments.figure.empty()) tuning.draw(arguments.run.output, arguments.figure);
}

}  // namespace

void add_tuning_command(CLI::App& app, Run& run, const TuningCommand& tuning) {
  Command command(app, tuning.name, tuning.about);
  auto arguments = std::make_shared<TuningArguments>();
  command.add_option("-m,--model", arguments->settings.base, "The run to tune (required)")
      .type_name("DIR");
  add_run_options(command, arguments->run, "The folder of the new run (required)");
  for (const Setting* setting : offered_by(tuning)) {
    add_setting(command, *setting, arguments->settings);
  }
  if (tuning.draw) {
    command.add_option("--figure", arguments->figure, "Draw the scores and the KL of the run")
        .type_name("FILE.svg");
  }
  command.footer(tuning.footer);
  command.callback([&run, command, arguments, tuning] {
    require_option(command, "--output");
    if (!arguments->run.resume) {
      require_option(command, "--model");
      require_option(command, "--train");
      if (tuning.check) tuning.check(arguments->settings);
    }
    require_svg("--figure", arguments->figure);
    check_run_options(command, arguments->run);
    run = [command, arguments, tuning] { tune(command, tuning, *arguments); };
  });
}

}  // namespace heed::cli
