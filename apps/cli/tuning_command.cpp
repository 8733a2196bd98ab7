#include "apps/cli/tuning_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/setting_options.h"
#include "apps/cli/suggest.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/train/run_folder.h"

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
    settings = read_run_config(arguments.output).settings;
    if (settings.base.empty() || settings.task != tuning.task) {
      throw Error(fmt::format("{} does not hold a run of heed {}", arguments.output, tuning.name));
    }
  }
  lay_settings(command, offered_by(tuning), arguments.settings, settings);
  if (command.has("--model")) {
    settings.base = std::filesystem::absolute(arguments.settings.base).lexically_normal().string();
  }
  return settings;
}

void tune(const Command& command, const TuningCommand& tuning, const TuningArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const bool resumed = arguments.resume && is_run_folder(arguments.output);
  const TrainSettings settings = complete_settings(command, tuning, arguments, resumed);
  if (is_run_folder(arguments.output) && !arguments.resume && !arguments.overwrite) {
    throw Error(
        fmt::format("{0} already holds a run; go on with it (heed {1} -o {0} --resume), "
                    "begin anew (--overwrite), or name another folder",
                    arguments.output, tuning.name));
  }
  if (arguments.overwrite && std::filesystem::exists(arguments.output) &&
      std::filesystem::equivalent(arguments.output, settings.base)) {
    throw Error("--overwrite would replace the model that is to be tuned; name another folder");
  }
  run_training({.settings = settings,
                .folder = arguments.output,
                .resume = arguments.resume,
                .quiet = arguments.quiet,
                .view_port = arguments.view_port,
                .command = tuning.name,
                .prepare = tuning.prepare});
  if (!arguments.figure.empty()) tuning.draw(arguments.output, arguments.figure);
}

}  // namespace

void add_tuning_command(CLI::App& app, Run& run, const TuningCommand& tuning) {
  Command command(app, tuning.name, tuning.about);
  auto arguments = std::make_shared<TuningArguments>();
  command.add_option("-m,--model", arguments->settings.base, "The run to tune (required)")
      .type_name("DIR");
  command.add_option("-o,--output", arguments->output, "The folder of the new run (required)")
      .type_name("DIR");
  command.add_flag("--resume", arguments->resume, "Go on where the run in the folder stopped");
  command.add_flag("--overwrite", arguments->overwrite, "Replace a run that is in the folder");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: one per core)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--quiet", arguments->quiet, "No progress");
  command
      .add_option("--view", arguments->view_port,
                  "Show the run in the browser, on this port, while it trains; 0: any port")
      .check(whole_number(0, 65535))
      .type_name("PORT");
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
    if (!arguments->resume) {
      require_option(command, "--model");
      require_option(command, "--train");
      if (tuning.check) tuning.check(arguments->settings);
    }
    if (command.has("--steps") && command.has("--epochs")) {
      wrong_usage("--steps and --epochs exclude each other");
    }
    require_svg("--figure", arguments->figure);
    if (arguments->resume && arguments->overwrite) {
      wrong_usage("--resume and --overwrite exclude each other");
    }
    run = [command, arguments, tuning] { tune(command, tuning, *arguments); };
  });
}

}  // namespace heed::cli
