// A folder that is made for something, and goes again if nothing comes of it.
#pragma once

#include <filesystem>
#include <string>

#include "heed/base/fail.h"

namespace heed {

// Makes a folder if it is not there, and removes it again if nothing was put into it.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path) : path_(path) {
    std::error_code error;
    made_ = std::filesystem::create_directories(path, error);
    check(std::filesystem::is_directory(path), "{}: cannot make the folder: {}", path,
          error ? error.message() : "there is a file of this name");
  }
  ~NewFolder() {
    std::error_code ignored;
    if (made_) std::filesystem::remove(path_, ignored);  // fails unless it is empty
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace heed
