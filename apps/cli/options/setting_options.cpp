#include "apps/cli/options/setting_options.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"

namespace heed::cli {
namespace {

const char* heading(SettingGroup group) {
  switch (group) {
    case SettingGroup::data: return "Data";
    case SettingGroup::model: return "Model";
    case SettingGroup::training: return "Training";
    case SettingGroup::tuning: return "Tuning";
  }
  return "";
}

}  // namespace

void add_setting(Command& command, const Setting& setting, TrainSettings& settings) {
  const std::string flag = std::string("--") + setting.name;
  Option option = std::visit(
      [&](auto member) -> Option {
        if constexpr (std::is_same_v<decltype(member), ChoiceMember>) {
          const auto keep = [member, &settings](const std::string& name) {
            member.read(name, settings);
          };
          return command.add_option(flag, keep, with_option_names(setting.help)).type_name("NAME");
        } else {
          Option made = command.add_option(flag, settings.*member, with_option_names(setting.help));
          using T = std::decay_t<decltype(settings.*member)>;
          if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            made.expected(1, 64).type_name(setting.group == SettingGroup::data ? "FILE" : "TEXT");
          } else if constexpr (std::is_same_v<T, int64_t>) {
            made.type_name("N");
          } else if constexpr (std::is_same_v<T, double>) {
            made.type_name("X");
          } else {
            made.type_name("NAME");
          }
          return made;
        }
      },
      setting.member);
  option.group(heading(setting.group));
  if (!setting.choices.empty()) {
    std::vector<std::string> names;
    for (const std::string& choice : setting.choices) {
      if (!choice.empty()) names.push_back(choice);
    }
    option.check(one_of(names));
  } else if (setting.min < setting.max) {
    if (std::holds_alternative<int64_t TrainSettings::*>(setting.member)) {
      option.check(
          whole_number(static_cast<int64_t>(setting.min), static_cast<int64_t>(setting.max)));
    } else {
      option.check(number(setting.min, setting.max));
    }
  }
}

std::vector<const Setting*> named_settings(const Command& command,
                                           std::span<const Setting* const> offered) {
  std::vector<const Setting*> named;
  for (const Setting* setting : offered) {
    const bool is_base = std::string_view(setting->name) == "base";
    if (command.has(is_base ? "--model" : std::string("--") + setting->name))
      named.push_back(setting);
  }
  return named;
}

std::vector<const Setting*> training_settings() {
  std::vector<const Setting*> result;
  for (const Setting& setting : settings_table()) {
    if (setting.group != SettingGroup::tuning) result.push_back(&setting);
  }
  return result;
}

std::vector<const Setting*> settings_named(const std::vector<const char*>& names) {
  std::vector<const Setting*> result;
  for (const Setting& setting : settings_table()) {
    const auto is_it = [&](const char* name) { return std::string_view(name) == setting.name; };
    if (std::any_of(names.begin(), names.end(), is_it)) result.push_back(&setting);
  }
  if (result.size() != names.size()) throw std::logic_error("a command offers no such setting");
  return result;
}

}  // namespace heed::cli
