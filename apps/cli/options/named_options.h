// The library speaks of arguments, the program of options.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace heed::cli {

inline bool is_argument(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.front() >= 'a' && std::all_of(name.begin(), name.end(), fits);
}

// A text of the library in which each argument between backquotes is replaced by the option that
// gives it: "`max-length` is 0" becomes "--max-length is 0".
inline std::string with_options(std::string_view text) {
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
