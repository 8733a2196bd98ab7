// One training in a folder at a time.
#pragma once

#include <string>

#include "heed/base/export.h"

namespace heed {

// Holds the folder, which must exist, until it is destroyed or the process ends, however it ends.
// An Error if another process holds it. Where the file system has no locks, nothing is held.
class HEED_API FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace heed
