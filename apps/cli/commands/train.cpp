// heed train: from text files to a model in a folder.

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/console/result.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/run_arguments.h"
#include "apps/cli/options/setting_options.h"
#include "apps/cli/training/training.h"
#include "heed/base/parallel.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"
#include "heed/train/train.h"

namespace heed::cli {
namespace {

struct TrainArguments {
  TrainSettings settings;
  RunArguments run;
  std::string config;
  bool dump_config = false;
  bool no_header = false;
};

std::vector<std::string> training_tasks() {
  return {"lm", "translate", "summarize", "classify", "tag"};
}

GivenSettings given_settings(const Command& command, const TrainArguments& arguments) {
  GivenSettings given;
  given.settings = arguments.settings;
  given.config = arguments.config;
  given.named = named_settings(command, training_settings());
  if (arguments.no_header) {
    given.settings.format = FileFormat::csv_no_header;
    given.named.push_back(settings_named({"format"}).front());
  }
  return given;
}

// The settings that a run would have, as JSON.
void print_settings(const GivenSettings& given, const RunArguments& run) {
  std::vector<std::string> notes;
  const bool resumed = run.resume && is_run_folder(run.output);
  print_result("{}\n", to_json(resumed ? resumed_settings(given, run.output, notes)
                                       : new_settings(given, notes)));
}

void train_model(const Command& command, const TrainArguments& arguments) {
  const RunArguments& run = arguments.run;
  if (run.threads > 0) set_threads(run.threads);
  const GivenSettings given = given_settings(command, arguments);
  if (arguments.dump_config) return print_settings(given, run);
  show_training({.folder = run.output, .quiet = run.quiet, .view_port = run.view_port},
                [&](RunEvents& events) {
                  return heed::train(
                      given, run.output, events,
                      {.resume = run.resume, .overwrite = run.overwrite, .minutes = run.minutes});
                });
}

}  // namespace

void add_train_command(CLI::App& app, Run& run) {
  Command command(app, "train", "Train a model on text files");
  auto arguments = std::make_shared<TrainArguments>();
  command
      .add_option(
          "TASK",
          [arguments](const std::string& name) { read_name(name, arguments->settings.task); },
          "lm (language model), translate, summarize, classify or tag (required)")
      .check(one_of(training_tasks()))
      .type_name("");
  add_run_options(command, arguments->run, "The folder of the run (required)");
  command
      .add_option(
          "--config", arguments->config,
          "Settings as JSON, by the names below, or the config.json of a run; options on the "
          "command line win")
      .type_name("FILE");
  command.add_flag("--dump-config", arguments->dump_config, "Print the settings as JSON and stop");
  command.add_flag("--no-header", arguments->no_header,
                   "The same as --format csv-no-header: the first row of a CSV file is data");
  for (const Setting* setting : training_settings()) {
    add_setting(command, *setting, arguments->settings);
  }
  command.footer(
      "Data: text, or JSON lines {\"text\": \"..\"}, for lm; two files of lines that belong\n"
      "together for translate and summarize, or one of JSON lines {\"source\": \"..\",\n"
      "\"target\": \"..\"}; label<TAB>text lines, CSV or JSON lines {\"text\": \"..\",\n"
      "\"label\": \"..\"} for classify; CoNLL columns or CoNLL-U for tag.\n"
      "Examples:\n"
      "  heed train lm --train book.txt -o book\n"
      "  heed train translate --train train.en train.de --valid val.en val.de -o en-de\n"
      "  heed train classify --train questions.tsv -o questions --preset tiny");
  command.callback([&run, command, arguments] {
    if (arguments->settings.task == Task::none && arguments->config.empty() &&
        !arguments->run.resume) {
      wrong_usage("TASK is required: lm, translate, ...");
    }
    if (!arguments->dump_config) require_option(command, "--output");
    const bool begins = !arguments->dump_config && !arguments->run.resume;
    if (begins && arguments->config.empty()) require_option(command, "--train");
    check_run_options(command, arguments->run);
    if (arguments->dump_config && command.has("--minutes")) {
      wrong_usage("--dump-config cannot tell the steps of --minutes, which a run finds out");
    }
    if (arguments->no_header && command.has("--format")) {
      wrong_usage("--no-header and --format exclude each other");
    }
    run = [command, arguments] { train_model(command, *arguments); };
  });
}

}  // namespace heed::cli
