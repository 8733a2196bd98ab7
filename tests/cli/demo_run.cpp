#include "tests/cli/demo_run.h"

#include <cstdlib>
#include <fstream>

namespace heed {

nlohmann::json demo(const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"demo", name};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_json(arguments)["numbers"];
}

void use_own_cache() { ::setenv("XDG_CACHE_HOME", temporary("cache").c_str(), 1); }

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  std::string text, line;
  while (std::getline(file, line)) text += line + " ";
  return text;
}

std::map<std::string, std::vector<std::string>> short_demos() {
  use_own_cache();
  const auto list = nlohmann::json::parse(run_heed({"demo", "--list", "--json"}).out);
  std::map<std::string, std::vector<std::string>> demos;
  for (const auto& each : list) {
    auto& options = demos[each["name"].get<std::string>()];
    if (each["trains"].get<bool>()) options = {"--steps", "3"};
  }
  return demos;
}

const std::map<std::string, nlohmann::json>& pages() {
  static const auto* all = [] {
    auto* result = new std::map<std::string, nlohmann::json>;
    for (const auto& [name, options] : short_demos()) {
      std::vector<std::string> arguments{"demo", name};
      arguments.insert(arguments.end(), options.begin(), options.end());
      (*result)[name] = run_json(arguments);
    }
    return result;
  }();
  return *all;
}

}  // namespace heed
