#include "heed/train/run_log.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

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

RunLog::RunLog(const std::string& path, int64_t last_step, int64_t most_bytes)
    : path_(path), most_bytes_(most_bytes) {
  const std::string kept =
      std::filesystem::exists(path_) ? kept_lines(path_, last_step) : std::string();
  write_file(path_, kept);
  bytes_ = static_cast<int64_t>(kept.size());
  open();
}

void RunLog::open() {
  file_.reset(std::fopen(path_.c_str(), "a"));
  check(file_ != nullptr, "{}: cannot write: {}", path_, std::strerror(errno));
}

void RunLog::write(std::string_view line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fputc('\n', file_.get()) != EOF && std::fflush(file_.get()) == 0;
  check(written, "{}: cannot write: {}", path_, std::strerror(errno));
  bytes_ += static_cast<int64_t>(line.size()) + 1;
  if (most_bytes_ > 0 && bytes_ > most_bytes_) thin_out();
}

void RunLog::thin_out() {
  std::ifstream in(path_);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  std::string kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if ((lines.size() - 1 - i) % 2 == 0) kept += lines[i] + "\n";
  }
  write_file(path_, kept);
  bytes_ = static_cast<int64_t>(kept.size());
  open();
}

}  // namespace heed
