#include "apps/cli/options/named_options.h"

#include <algorithm>

namespace heed::cli {
namespace {

bool is_argument(std::string_view name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

std::string option_of(std::string_view argument) {
  return argument == "base" ? "-m" : "--" + std::string(argument);
}

}  // namespace

std::string with_options(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t begin = text.find('`');
    const size_t end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) break;
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    if (is_argument(name)) {
      result += text.substr(0, begin);
      result += option_of(name);
      text.remove_prefix(end + 1);
    } else {
      result += text.substr(0, end);
      text.remove_prefix(end);
    }
  }
  return result + std::string(text);
}

}  // namespace heed::cli
