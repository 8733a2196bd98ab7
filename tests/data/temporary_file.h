// A file with given contents, removed at the end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace heed {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view contents, const std::string& ending = ".txt") {
    static std::atomic<int> number = 0;
    const std::string name =
        "heed-data-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + ending;
    path_ = (std::filesystem::temp_directory_path() / name).string();
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heed
