// How what settings choose from is written.
#pragma once

#include <span>
#include <string_view>

#include "heed/models/config_names.h"
#include "heed/run/setting_choices.h"
#include "heed/run/task_names.h"

namespace heed {

inline std::span<const std::string_view> names_of(FileFormat) {
  static constexpr std::string_view names[] = {"",      "tsv",   "csv", "csv-no-header",
                                               "conll", "conllu"};
  return names;
}
inline std::span<const std::string_view> names_of(Preset) {
  static constexpr std::string_view names[] = {"", "tiny", "small", "base"};
  return names;
}
inline std::span<const std::string_view> names_of(AlignMethod) {
  static constexpr std::string_view names[] = {"", "reinforce", "ppo", "dpo"};
  return names;
}
inline std::span<const std::string_view> names_of(OptimizerKind) {
  static constexpr std::string_view names[] = {"adamw", "sgd"};
  return names;
}
inline std::span<const std::string_view> names_of(ScheduleKind) {
  static constexpr std::string_view names[] = {"constant", "linear", "cosine", "inverse-sqrt"};
  return names;
}
inline std::span<const std::string_view> names_of(OnMistake) {
  static constexpr std::string_view names[] = {"fail", "skip"};
  return names;
}
inline std::span<const std::string_view> names_of(Encoding) {
  static constexpr std::string_view names[] = {"utf-8", "latin1"};
  return names;
}

inline std::string_view name_of(bool value) { return value ? "yes" : "no"; }

inline bool read_name(std::string_view name, bool& value) {
  if (name != "yes" && name != "no") return false;
  value = name == "yes";
  return true;
}

// UTF-8 has two names.
inline bool read_name(std::string_view name, Encoding& value) {
  if (name != "utf8") return read_name<Encoding>(name, value);
  value = Encoding::utf8;
  return true;
}

}  // namespace heed
