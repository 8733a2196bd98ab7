// The names of tasks and kinds of models, in config.json and on the command line.
#pragma once

#include <span>
#include <string_view>

#include "heed/base/named_enum.h"
#include "heed/run/task.h"

namespace heed {

inline std::span<const std::string_view> names_of(Task) {
  static constexpr std::string_view names[] = {"",         "lm",  "translate", "summarize",
                                               "classify", "tag", "embed",     "reward"};
  return names;
}
inline std::span<const std::string_view> names_of(ModelKind) {
  static constexpr std::string_view names[] = {"",       "transformer",   "decoder",
                                               "prefix", "rnn-attention", "rnn"};
  return names;
}
inline std::span<const std::string_view> names_of(Pooling) {
  static constexpr std::string_view names[] = {"mean", "cls", "cls-end"};
  return names;
}

}  // namespace heed
