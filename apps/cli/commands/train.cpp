// heed train: from text files to a model in a folder.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/progress.h"
#include "apps/cli/console/result.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/run_options.h"
#include "apps/cli/options/setting_options.h"
#include "apps/cli/training/training.h"
#include "apps/message.h"
#include "heed/base/error.h"
#include "heed/base/json_nesting_internal.h"
#include "heed/base/parallel.h"
#include "heed/run/run_folder.h"
#include "heed/run/settings.h"
#include "heed/train/starting_shape.h"
#include "heed/train/unused_setting.h"

namespace heed::cli {
namespace {

struct TrainArguments {
  TrainSettings settings;
  RunOptions run;
  std::string config;
  bool dump_config = false;
  bool no_header = false;
};

std::string read_whole(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw Error(path + ": cannot read: is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> training_tasks() {
  return {"lm", "translate", "summarize", "classify", "tag"};
}

bool has_tokenizer(const std::string& run) {
  return !run.empty() && (std::filesystem::exists(run + "/tokenizer.json") ||
                          std::filesystem::exists(run + "/spm.model"));
}

// The settings in a file: all of it, or those of a run's config.json.
std::string settings_in(const std::string& file) {
  std::string text = read_whole(file);
  if (is_nested_too_deep(text)) return text;  // read_json() says so
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  const bool is_run = json.is_object() && json.contains("model") && json.contains("settings") &&
                      json["settings"].is_object() && json.contains("task");
  if (!is_run) return text;
  nlohmann::ordered_json& settings = json["settings"];
  settings["task"] = json["task"];
  return settings.dump();
}

// What a file names, laid upon settings. As on the command line, steps replace epochs and epochs
// steps.
void lay_file(const std::string& file, TrainSettings& settings) {
  const std::string text = settings_in(file);
  TrainSettings named;
  read_json(text, file, named);
  if (named.steps > 0 && named.epochs > 0) {
    throw Error(file + ": steps and epochs exclude each other; leave one out");
  }
  read_json(text, file, settings);
  if (named.steps > 0) settings.epochs = 0;
  if (named.epochs > 0) settings.steps = 0;
}

// What --config and the command line name, laid upon settings.
void lay_given(const Command& command, const TrainArguments& arguments, TrainSettings& settings) {
  if (!arguments.config.empty()) lay_file(arguments.config, settings);
  lay_settings(command, training_settings(), arguments.settings, settings);
}

// Those of a new run. What is left open and says what parameters mean comes from the run that
// --init-from names, and is told in `notes`.
TrainSettings new_settings(const Command& command, const TrainArguments& arguments,
                           std::vector<std::string>& notes) {
  TrainSettings settings;
  settings.task = arguments.settings.task;
  TrainSettings given = settings;
  lay_given(command, arguments, given);
  const std::string from = given.init_from;
  if (from.empty()) return given;
  if (is_run_folder(from)) {
    const StartingShape shape(from);
    shape.lay_under(settings);
    lay_given(command, arguments, settings);
    const std::string taken = shape.fill(settings);
    if (!taken.empty()) notes.push_back(fmt::format("as in {}: {}", from, taken));
    given = settings;
  }
  // Likewise they mean something only with the ids of its tokenizer.
  if (given.tokenizer.empty() && has_tokenizer(from)) given.tokenizer = from;
  return given;
}

// --config may name anything.
void check_settings(const TrainSettings& settings, const std::string& file) {
  const auto tasks = training_tasks();
  if (settings.task == Task::none) throw Error(file + " does not name a task");
  if (std::find(tasks.begin(), tasks.end(), name_of(settings.task)) == tasks.end()) {
    throw Error(fmt::format("the task is {}; heed train has {}", name_of(settings.task),
                            fmt::join(tasks, ", ")));
  }
  static const TrainSettings defaults;
  for (const Setting& setting : settings_table()) {
    if (setting.group == SettingGroup::tuning && !are_equal(setting, settings, defaults)) {
      throw Error(fmt::format(
          "{} is a setting of heed finetune, reward and align; heed train does not have it",
          setting.name));
    }
  }
}

// What the command line names and does nothing is told; scripts that compare models give it to all.
void tell_unused(const Command& command, const TrainSettings& settings,
                 std::vector<std::string>& notes) {
  for (const Setting* setting : training_settings()) {
    if (!command.has(fmt::format("--{}", setting->name))) continue;
    const std::string why = why_unused(setting->name, settings);
    if (!why.empty()) notes.push_back(fmt::format("--{} does nothing: it {}", setting->name, why));
  }
}

// The settings of a saved run, or of a new one, with what the command line names laid on top.
TrainSettings layered(const Command& command, const TrainArguments& arguments, bool resumed,
                      std::vector<std::string>& notes) {
  TrainSettings settings;
  const Task task = arguments.settings.task;
  if (resumed) {
    settings = read_run_config(arguments.run.output).settings;
    if (task != Task::none && task != settings.task) {
      throw Error(fmt::format("{} holds a run of the task {}, not {}", arguments.run.output,
                              name_of(settings.task), name_of(task)));
    }
    lay_given(command, arguments, settings);
  } else {
    settings = new_settings(command, arguments, notes);
  }
  if (arguments.no_header) settings.format = FileFormat::csv_no_header;
  check_settings(settings, arguments.config);
  tell_unused(command, settings, notes);
  return settings;
}

// Without a config.json it is not known whose files these are.
void require_no_other_files(const RunOptions& options) {
  if (options.resume || options.overwrite || is_run_folder(options.output)) return;
  for (const char* name : kRunFiles) {
    if (!std::filesystem::exists(std::filesystem::path(options.output) / name)) continue;
    throw Error(fmt::format(
        "{0} is no run of heed, but has a file {1}, which would be replaced; name another folder, "
        "or add --overwrite if {1} may go",
        options.output, name));
  }
}

// A run that is stopped before its first checkpoint begins anew, from that model.
void require_other_folder(const std::string& init_from, const std::string& output) {
  std::error_code not_there;
  if (!std::filesystem::equivalent(init_from, output, not_there)) return;
  throw Error(fmt::format(
      "--init-from {}: the new run would replace the model that it begins with; name another "
      "folder than -o {}",
      init_from, output));
}

void train(const Command& command, const TrainArguments& arguments) {
  if (arguments.run.threads > 0) set_threads(arguments.run.threads);
  const bool resumed = arguments.run.resume && is_run_folder(arguments.run.output);
  std::vector<std::string> notes;
  const TrainSettings settings = layered(command, arguments, resumed, notes);
  if (arguments.dump_config) {
    print_result("{}\n", to_json(settings));
    return;
  }
  if (arguments.run.resume && !resumed && settings.train.empty()) {
    throw Error(fmt::format(
        "there is no run in {} to go on with; to begin one, --train is required: the file, or "
        "files, to train on",
        arguments.run.output));
  }
  if (!resumed) require_other_folder(settings.init_from, arguments.run.output);
  require_free_folder(arguments.run, fmt::format("train {}", name_of(settings.task)));
  require_no_other_files(arguments.run);
  if (!arguments.run.quiet) {
    for (const std::string& note : notes) say("{}\n", note);
  }
  run_training({.settings = settings,
                .folder = arguments.run.output,
                .resume = arguments.run.resume,
                .quiet = arguments.run.quiet,
                .view_port = arguments.run.view_port});
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
      "together for translate and summarize; label<TAB>text lines or CSV for classify;\n"
      "CoNLL columns or CoNLL-U for tag.\n"
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
    if (arguments->no_header && command.has("--format")) {
      wrong_usage("--no-header and --format exclude each other");
    }
    run = [command, arguments] { train(command, *arguments); };
  });
}

}  // namespace heed::cli
