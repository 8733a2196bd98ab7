#include "heed/train/run_log.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/base/fail_internal.h"
#include "heed/io/atomic_file.h"

namespace heed {
namespace {

// Lines of steps up to `last`. A line that was cut by a crash, or is none of ours, is dropped.
std::string kept_lines(const std::string& path, int64_t last) {
  std::ifstream in(path);
  std::string kept, line;
  while (std::getline(in, line)) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) continue;
    if (json["step"].get<int64_t>() <= last) kept += line + "\n";
  }
  return kept;
}

}  // namespace

RunLog::RunLog(const std::string& folder, int64_t last_step) : path_(folder + "/log.jsonl") {
  write_file(path_, std::filesystem::exists(path_) ? kept_lines(path_, last_step) : "");
  file_.reset(std::fopen(path_.c_str(), "a"));
  check(file_ != nullptr, "{}: cannot write: {}", path_, std::strerror(errno));
}

void RunLog::write(std::string_view line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fputc('\n', file_.get()) != EOF && std::fflush(file_.get()) == 0;
  check(written, "{}: cannot write: {}", path_, std::strerror(errno));
}

}  // namespace heed
