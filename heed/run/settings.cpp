#include "heed/run/settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/run/setting_names.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using S = TrainSettings;

bool is_number(const Setting& setting) {
  return std::holds_alternative<int64_t S::*>(setting.member) ||
         std::holds_alternative<double S::*>(setting.member);
}

void check_number(const Setting& setting, double value, const std::string& file) {
  if (setting.min >= setting.max) return;
  check(value >= setting.min && value <= setting.max, "{}: {} is {}, expected {} to {}", file,
        setting.name, value, setting.min, setting.max);
}

// Names of files may have any bytes, JSON may not.
void require_utf8(const Setting& setting, const std::string& value) {
  check(valid_utf8_bytes(value) == value.size(),
        "`{}` {}: the name is not UTF-8, as config.json must be; rename it, or give a link to it "
        "that has another name",
        setting.name, value);
}
void require_utf8(const Setting& setting, const std::vector<std::string>& values) {
  for (const std::string& value : values) require_utf8(setting, value);
}
template <typename T>
void require_utf8(const Setting&, const T&) {}

// A setting as JSON: the number, text, list of texts, or name of the choice.
Json json_of(const Setting& setting, const TrainSettings& settings) {
  if (const auto* choice = std::get_if<ChoiceMember>(&setting.member)) {
    return choice->name(settings);
  }
  return std::visit(
      [&](auto pointer) -> Json {
        if constexpr (std::is_member_pointer_v<decltype(pointer)>) {
          require_utf8(setting, settings.*pointer);
          return settings.*pointer;
        } else {
          return nullptr;
        }
      },
      setting.member);
}

// "tiny, small, base"
std::string list_of(const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices) {
    if (!choice.empty()) list += (list.empty() ? "" : ", ") + choice;
  }
  return list;
}

struct Reader {
  const Setting& setting;
  const Json& value;
  const std::string& file;
  TrainSettings& settings;

  void operator()(int64_t S::*pointer) const {
    check(value.is_number_integer(), "{}: {} must be a whole number, got {}", file, setting.name,
          value.dump());
    settings.*pointer = value.get<int64_t>();
  }
  void operator()(double S::*pointer) const {
    check(value.is_number(), "{}: {} must be a number, got {}", file, setting.name, value.dump());
    settings.*pointer = value.get<double>();
  }
  void operator()(std::string S::*pointer) const {
    check(value.is_string(), "{}: {} must be a string, got {}", file, setting.name, value.dump());
    settings.*pointer = value.get<std::string>();
    if (!(settings.*pointer).empty() && !setting.choices.empty()) {
      require_choice(settings.*pointer);
    }
  }
  void operator()(const ChoiceMember& choice) const {
    check(value.is_string(), "{}: {} must be a string, got {}", file, setting.name, value.dump());
    const auto text = value.get<std::string>();
    if (text.empty()) return;
    require_choice(text);
    choice.read(text, settings);
  }
  void operator()(std::vector<std::string> S::*pointer) const {
    const bool strings =
        value.is_array() &&
        std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
    check(strings, "{}: {} must be a list of strings, got {}", file, setting.name, value.dump());
    settings.*pointer = value.get<std::vector<std::string>>();
  }

  void require_choice(const std::string& text) const {
    const auto& choices = setting.choices;
    check(std::find(choices.begin(), choices.end(), text) != choices.end(),
          "{}: {} cannot be \"{}\"; it can be {}", file, setting.name, text, list_of(choices));
  }
};

void read_setting(const Setting& setting, const Json& value, const std::string& file,
                  TrainSettings& settings) {
  TrainSettings read;
  std::visit(Reader{setting, value, file, read}, setting.member);
  if (value == "" || is_left_open(setting, read)) return;
  if (is_number(setting)) check_number(setting, value.get<double>(), file);
  copy_setting(setting, read, settings);
}

}  // namespace

void copy_setting(const Setting& setting, const TrainSettings& from, TrainSettings& to) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_member_pointer_v<decltype(member)>) {
          to.*member = from.*member;
        } else {
          member.read(member.name(from), to);
        }
      },
      setting.member);
}

bool are_equal(const Setting& setting, const TrainSettings& a, const TrainSettings& b) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_member_pointer_v<decltype(member)>) {
          return a.*member == b.*member;
        } else {
          return member.name(a) == member.name(b);
        }
      },
      setting.member);
}

bool is_left_open(const Setting& setting, const TrainSettings& settings) {
  static const TrainSettings defaults;
  return std::visit(
      [&](auto member) {
        if constexpr (!std::is_member_pointer_v<decltype(member)>) {
          return member.name(settings).empty();
        } else {
          const auto& value = settings.*member;
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
            return value == defaults.*member && setting.min < setting.max &&
                   static_cast<double>(value) < setting.min;
          } else {
            return value.empty();
          }
        }
      },
      setting.member);
}

void require_in_range(const TrainSettings& settings) {
  for (const Setting& setting : settings_table()) {
    if (!is_number(setting) || setting.min >= setting.max || is_left_open(setting, settings)) {
      continue;
    }
    const auto value = json_of(setting, settings).get<double>();
    check(value >= setting.min && value <= setting.max, "`{}` is {}, expected {} to {}",
          setting.name, value, setting.min, setting.max);
  }
}

std::string to_json(const TrainSettings& settings) {
  Json json{{"task", name_of(settings.task)}};
  for (const Setting& setting : settings_table()) json[setting.name] = json_of(setting, settings);
  return json.dump(2);
}

void read_json(std::string_view text, const std::string& file, TrainSettings& settings) {
  check_nesting(text, file);
  const Json json = Json::parse(text, nullptr, false);
  check(json.is_object(), "{}: expected a JSON object with settings", file);
  for (const auto& item : json.items()) {
    if (item.key() == "task") {
      check(item.value().is_string(), "{}: task must be a string", file);
      const auto name = item.value().get<std::string>();
      Task task{};
      check(read_name(name, task),
            "{}: there is no task \"{}\"; there are lm, translate, summarize, classify "
            "and tag",
            file, name);
      check(settings.task == Task::none || settings.task == task,
            "{}: these are settings for the task {}, not {}", file, name, name_of(settings.task));
      settings.task = task;
      continue;
    }
    const auto table = settings_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Setting& s) { return s.name == item.key(); });
    check(found != table.end(), "{}: there is no setting \"{}\"", file, item.key());
    read_setting(*found, item.value(), file, settings);
  }
}

namespace {

// Where the data is and how it is read. Whether it is the same data is known by the fingerprint in
// the checkpoint.
bool finds_data(const SettingMember& member) {
  const SettingMember names[] = {&S::train,         &S::valid,        &S::source_vectors,
                                 &S::valid_vectors, &S::token_column, &S::tag_column};
  return std::find(std::begin(names), std::end(names), member) != std::end(names);
}

// As it is typed.
std::string typed(const Setting& setting, const TrainSettings& settings) {
  if (is_left_open(setting, settings)) return "not set";
  if (const auto* texts = std::get_if<std::vector<std::string> S::*>(&setting.member)) {
    return fmt::format("{}", fmt::join(settings.**texts, " "));
  }
  const Json value = json_of(setting, settings);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The option that begins a run with the model of this one.
const char* option_to_begin_with(const TrainSettings& settings) {
  if (settings.base.empty()) return "`init-from`";
  return settings.task == Task::lm ? "`base`" : nullptr;  // a reward model is not tuned further
}

}  // namespace

std::vector<std::string> changed_settings(const TrainSettings& saved, const TrainSettings& now) {
  const Json before = Json::parse(to_json(saved)), after = Json::parse(to_json(now));
  std::vector<std::string> changed;
  for (const Setting& setting : settings_table()) {
    if (before[setting.name] == after[setting.name]) continue;
    changed.push_back(
        fmt::format("{} {} -> {}", setting.name, typed(setting, saved), typed(setting, now)));
  }
  return changed;
}

void require_resumable(const std::string& folder, const TrainSettings& saved,
                       const TrainSettings& now, bool has_checkpoint) {
  const Json before = Json::parse(to_json(saved)), after = Json::parse(to_json(now));
  std::string differences;
  for (const Setting& setting : settings_table()) {
    const bool may_change = setting.may_change || (has_checkpoint && finds_data(setting.member));
    if (may_change || before[setting.name] == after[setting.name]) continue;
    differences +=
        fmt::format("{}`{}` was {}, now {}", differences.empty() ? "" : "; ", setting.name,
                    before[setting.name].dump(), after[setting.name].dump());
  }
  const char* const option = option_to_begin_with(saved);
  check(
      differences.empty(),
      "resume: {}. Leave these out to go on as before, or begin anew in another folder{}",
      differences,
      option == nullptr ? "" : fmt::format("; {} {} there begins with this model", option, folder));
}

}  // namespace heed
