#include "apps/cli/inputs/ranking_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/fail.h"
#include "heed/io/read_file.h"

namespace heed::cli {
namespace {

std::string key_of(std::span<const ChatMessage> prompt) {
  return to_json(Ranking{{prompt.begin(), prompt.end()}, {}});
}

[[noreturn]] void fail_with(const std::string& path, const char* what, int error) {
  fail("{}: {}: {}", path, what, std::strerror(error));
}

// Whether a line that is not JSON can be the beginning of what append() writes.
bool is_cut_ranking(const std::string& line) {
  constexpr std::string_view kBegin = "{\"prompt\":";
  return kBegin.starts_with(line.substr(0, kBegin.size()));
}

}  // namespace

RankingFile::RankingFile(const std::string& path) : path_(path) {
  file_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail_with(path, "cannot write", errno);
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      fail("{}: another heed rank has it open", path);
    }
    const std::string text = read_file(path);
    size_ = static_cast<int64_t>(text.size());
    if (size_ > 0) read(text);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

RankingFile::~RankingFile() {
  if (size_ == 0) ::unlink(path_.c_str());
  ::close(file_);
}

void RankingFile::read(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == text.find('[')) {
    fail("{}: it is one JSON list, to which no line can be appended", path_);
  }
  const size_t whole = text.rfind('\n') + 1;  // npos + 1 is 0
  const std::string last = text.substr(whole);
  const bool is_torn = !last.empty() && !nlohmann::json::accept(last);
  RecordReport report{.used = 0, .skipped = is_torn ? 1 : 0, .first_mistake = {}};
  if (!is_torn || whole > 0) {
    report = for_each_ranking(path_, OnMistake::count, [&](const Ranking& ranking) {
      done_.insert(key_of(ranking.prompt));
    });
  }
  if (report.skipped > (is_torn ? 1 : 0)) throw Error(report.first_mistake);
  if (is_torn) {
    if (!is_cut_ranking(last)) fail("{}: the last line is not a ranking", path_);
    cut(static_cast<int64_t>(whole));
    note_ = path_ + ": the last line was cut off and has been removed";
  } else if (!last.empty()) {
    if (::write(file_, "\n", 1) != 1) fail_with(path_, "cannot write", errno);
    ++size_;
  }
}

void RankingFile::cut(int64_t size) {
  if (::ftruncate(file_, size) != 0 || ::fsync(file_) != 0) {
    fail_with(path_, "cannot write", errno);
  }
  size_ = size;
}

bool RankingFile::has(std::span<const ChatMessage> prompt) const {
  return done_.contains(key_of(prompt));
}

void RankingFile::append(const Ranking& ranking) {
  const std::string line = to_json(ranking) + "\n";
  errno = 0;
  const bool written =
      ::write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
      ::fsync(file_) == 0;
  if (!written) {
    const int error = errno == 0 ? ENOSPC : errno;  // a part of the line fitted
    cut(size_);
    fail_with(path_, "cannot write", error);
  }
  begins_.push_back(size_);
  size_ += static_cast<int64_t>(line.size());
  done_.insert(key_of(ranking.prompt));
}

void RankingFile::take_back(std::span<const ChatMessage> prompt) {
  cut(begins_.back());
  begins_.pop_back();
  done_.erase(key_of(prompt));
}

}  // namespace heed::cli
