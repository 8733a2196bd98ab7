// The library speaks of arguments, the program of options.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "heed/run/settings.h"

namespace heed::cli {

// Whether a name is that of an argument which an option gives: a setting, or one of these.
inline bool is_argument(std::string_view name) {
  constexpr std::array kOthers = {"resume", "overwrite", "data",  "vectors",
                                  "task",   "no-header", "merge", "minutes"};
  const auto settings = settings_table();
  const auto is_it = [&](const Setting& setting) { return setting.name == name; };
  return std::any_of(settings.begin(), settings.end(), is_it) ||
         std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

// A text of the library in which each argument between backquotes is replaced by the option that
// gives it: "`max-length` is 0" becomes "--max-length is 0".
inline std::string with_option_names(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t begin = text.find('`');
    const size_t end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) break;
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    const bool is_option = is_argument(name);
    result += text.substr(0, is_option ? begin : end);
    if (is_option) result += name == "base" ? "-m" : "--" + std::string(name);
    text.remove_prefix(is_option ? end + 1 : end);
  }
  return result + std::string(text);
}

}  // namespace heed::cli
