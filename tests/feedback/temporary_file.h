// A file with a text, that is removed again.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heed {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("heed-feedback-" + std::to_string(::getpid()) + "-" + std::to_string(count++)))
                .string();
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heed
