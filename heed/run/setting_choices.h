// What settings choose from, and how each choice is written.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "heed/base/named_enum.h"
#include "heed/data/line_reader.h"
#include "heed/models/config_names.h"
#include "heed/optim/optimizer.h"
#include "heed/optim/schedule.h"
#include "heed/run/task.h"

namespace heed {

// How the training data lies in its files; automatic: as the task and the name of a file say.
enum class FileFormat : uint8_t { automatic, tsv, csv, csv_no_header, conll, conllu };

enum class Preset : uint8_t { automatic, tiny, small, base };

// How a model is aligned with what people prefer.
enum class AlignMethod : uint8_t { none, reinforce, ppo, dpo };

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
