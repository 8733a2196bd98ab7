#include "heed/train/given_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/io/read_file.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"
#include "heed/text/tokenizer.h"
#include "heed/train/starting_shape.h"
#include "heed/train/unused_setting.h"

namespace heed {
namespace {

constexpr Task kTrainedTasks[] = {Task::lm, Task::translate, Task::summarize, Task::classify,
                                  Task::tag};

constexpr double kMinMinutes = 0.05, kMaxMinutes = 10000;

// The settings in a file: all of it, or those of a run's config.json.
std::string settings_in(const std::string& file) {
  std::string text = read_file(file);
  if (is_nested_too_deep(text)) return text;  // read_json() says so
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  const bool is_run = json.is_object() && json.contains("model") && json.contains("settings") &&
                      json["settings"].is_object() && json.contains("task");
  if (!is_run) return text;
  nlohmann::ordered_json& settings = json["settings"];
  settings["task"] = json["task"];
  return settings.dump();
}

void apply_file(const std::string& file, TrainSettings& settings) {
  const std::string text = settings_in(file);
  TrainSettings named;
  read_json(text, file, named);
  check(named.steps == 0 || named.epochs == 0,
        "{}: steps and epochs exclude each other; leave one out", file);
  read_json(text, file, settings);
  if (named.steps > 0) settings.epochs = 0;
  if (named.epochs > 0) settings.steps = 0;
}

void apply_arguments(const GivenSettings& given, TrainSettings& settings) {
  if (!given.config.empty()) apply_file(given.config, settings);
  apply_named(given, settings);
}

bool is_named(const GivenSettings& given, std::string_view name) {
  return std::any_of(given.named.begin(), given.named.end(),
                     [&](const Setting* setting) { return setting->name == name; });
}

// A file may name anything.
void check_trained(const TrainSettings& settings, const std::string& file) {
  check(settings.task != Task::none, "{}",
        file.empty() ? "no task is named" : file + " does not name a task");
  std::string tasks;
  for (const Task task : kTrainedTasks) {
    if (task == settings.task) tasks.clear();
    if (task == settings.task) break;
    tasks += (tasks.empty() ? "" : ", ") + std::string(name_of(task));
  }
  check(tasks.empty(), "the task is {}; heed train has {}", name_of(settings.task), tasks);
  static const TrainSettings defaults;
  for (const Setting& setting : settings_table()) {
    check(setting.group != SettingGroup::tuning || are_equal(setting, settings, defaults),
          "{} is a setting of heed finetune, reward and align; heed train does not have it",
          setting.name);
  }
}

// Scripts that compare models give an option to all.
void note_unused(const GivenSettings& given, const TrainSettings& settings,
                 std::vector<std::string>& notes) {
  for (const Setting* setting : given.named) {
    const std::string why = why_unused(setting->name, settings);
    if (!why.empty()) notes.push_back(fmt::format("`{}` does nothing: it {}", setting->name, why));
  }
}

}  // namespace

GivenSettings::GivenSettings(const TrainSettings& given) : settings(given) {
  static const TrainSettings defaults;
  for (const Setting& setting : settings_table()) {
    if (!are_equal(setting, given, defaults)) named.push_back(&setting);
  }
}

void apply_named(const GivenSettings& given, TrainSettings& settings) {
  const bool has_steps = is_named(given, "steps"), has_epochs = is_named(given, "epochs");
  check(!has_steps || !has_epochs, "`steps` and `epochs` exclude each other");
  for (const Setting* setting : given.named) copy_setting(*setting, given.settings, settings);
  if (has_steps) settings.epochs = 0;
  if (has_epochs) settings.steps = 0;
}

void apply_minutes(const GivenSettings& given, const TrainOptions& options, bool resumed,
                   TrainSettings& settings) {
  const double minutes = options.minutes;
  if (minutes == 0) return;
  check(minutes >= kMinMinutes && minutes <= kMaxMinutes,
        "`minutes` is {}; expected a number from {} to {}", minutes, kMinMinutes, kMaxMinutes);
  check(!resumed,
        "`minutes` is for new runs: this one makes the steps that it planned; `steps` changes "
        "them");
  for (const char* other : {"steps", "epochs"}) {
    check(!is_named(given, other), "`minutes` and `{}` exclude each other", other);
  }
  settings.steps = settings.epochs = 0;
}

TrainSettings new_settings(const GivenSettings& given, std::vector<std::string>& notes) {
  TrainSettings plain;
  plain.task = given.settings.task;
  TrainSettings settings = plain;
  apply_arguments(given, settings);
  const std::string from = settings.init_from;
  if (is_run_folder(from)) {
    const StartingShape shape(from);
    settings = plain;
    shape.apply_defaults(settings);
    apply_arguments(given, settings);
    const std::string taken = shape.fill(settings);
    if (!taken.empty()) notes.push_back(fmt::format("as in {}: {}", from, taken));
  }
  // Likewise they mean something only with the ids of its tokenizer.
  const bool takes_tokenizer =
      !from.empty() && settings.tokenizer.empty() && !saved_tokenizer(from).empty();
  if (takes_tokenizer) settings.tokenizer = from;
  check_trained(settings, given.config);
  note_unused(given, settings, notes);
  return settings;
}

TrainSettings resumed_settings(const GivenSettings& given, const std::string& folder,
                               std::vector<std::string>& notes) {
  TrainSettings settings = read_run_config(folder).settings;
  const Task task = given.settings.task;
  check(task == Task::none || task == settings.task, "{} holds a run of the task {}, not {}",
        folder, name_of(settings.task), name_of(task));
  apply_arguments(given, settings);
  check_trained(settings, given.config);
  note_unused(given, settings, notes);
  return settings;
}

}  // namespace heed
