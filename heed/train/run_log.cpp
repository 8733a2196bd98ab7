#include "heed/train/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/base/fail.h"
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

RunLog::RunLog(const std::string& path, int64_t last_step, int64_t max_bytes)
    : path_(path), max_bytes_(max_bytes) {
  const std::string kept =
      std::filesystem::exists(path_) ? kept_lines(path_, last_step) : std::string();
  write_file(path_, kept);
  bytes_ = static_cast<int64_t>(kept.size());
  open();
}

RunLog::~RunLog() {
  if (file_ >= 0) ::close(file_);
}

void RunLog::open() {
  if (file_ >= 0) ::close(file_);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  check(file_ >= 0, "{}: cannot write: {}", path_, std::strerror(errno));
}

// One call for a whole line, which goes to the system at once: scripts/check-kill watches it.
void RunLog::write(std::string_view line) {
  const std::string whole = std::string(line) + '\n';
  for (std::string_view left = whole; !left.empty();) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    check(written > 0, "{}: cannot write: {}", path_, std::strerror(errno));
    left.remove_prefix(static_cast<size_t>(written));
  }
  bytes_ += static_cast<int64_t>(whole.size());
  if (max_bytes_ > 0 && bytes_ > max_bytes_) thin_out();
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
