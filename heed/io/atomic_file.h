// Files that appear whole or not at all.
//
//   AtomicFile file("y.npy");
//   file.write(bytes);
//   file.commit();
//
// The bytes go to a temporary name in the same directory; commit() syncs file and directory and
// renames. Without commit(), after an error say (a full disk), the temporary file is removed and an
// older file of the same name stays as it was. What a killed writer left behind under a temporary
// name is removed by the next one of the same target. A target that is not a regular file
// (/dev/stdout, a pipe) cannot be replaced and is written directly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/export.h"

namespace heed {

class HEED_API AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  [[noreturn]] void fail_to_write() const;  // as errno says

  std::string path_;       // as the caller named it, for messages
  std::string target_;     // what is replaced: path_ with symbolic links followed
  std::string temporary_;  // empty: the target is written directly
  int file_ = -1;
};

// Writes a whole file at once.
HEED_API void write_file(const std::string& path, std::string_view contents);

}  // namespace heed
