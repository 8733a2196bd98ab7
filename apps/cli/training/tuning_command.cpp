#include "apps/cli/training/tuning_command.h"

#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/setting_options.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
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

GivenSettings given_settings(const Command& command, const TuningCommand& tuning,
                             const TuningArguments& arguments) {
  std::vector<const Setting*> offered = offered_by(tuning);
  offered.push_back(settings_named({"base"}).front());
  GivenSettings given;
  given.settings = arguments.settings;
  given.named = named_settings(command, offered);
  return given;
}

void tune(const Command& command, const TuningCommand& tuning, const TuningArguments& arguments) {
  const RunArguments& run = arguments.run;
  if (run.threads > 0) set_threads(run.threads);
  const GivenSettings given = given_settings(command, tuning, arguments);
  const auto train = [&](RunEvents& events) {
    try {
      return tuning.tune(
          given, run.output, events,
          {.resume = run.resume, .overwrite = run.overwrite, .minutes = run.minutes});
    } catch (const BadRecord& error) {
      fail("{}; --bad-records skip leaves such records out", error.what());
    }
  };
  show_training({.folder = run.output,
                 .command = tuning.name,
                 .quiet = run.quiet,
                 .view_port = run.view_port},
                train);
  if (!arguments.figure.empty()) tuning.draw(run.output, arguments.figure);
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
