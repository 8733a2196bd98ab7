#include "heed/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "heed/base/fail_internal.h"

namespace heed {
namespace {

// Follows symbolic links, so that a link keeps pointing to the file that is replaced.
std::string resolve(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;  // does not exist yet
  std::string result = resolved;
  std::free(resolved);
  return result;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The rename itself must survive a power cut. Some file systems cannot sync a directory and say so;
// the file is complete all the same.
void sync_directory(const std::string& directory) {
  const int handle = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve(path)) {
  struct stat info {};
  const bool exists = ::stat(target_.c_str(), &info) == 0;
  check(!exists || !S_ISDIR(info.st_mode), "{}: cannot write: is a directory", path_);
  if (exists && !S_ISREG(info.st_mode)) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    check(file_ >= 0, "{}: cannot write: {}", path_, std::strerror(errno));
    return;
  }
  static std::atomic<unsigned> counter = 0;
  temporary_ = fmt::format("{}.tmp-{}-{}", target_, ::getpid(), counter++);
  file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  check(file_ >= 0, "{}: cannot write: {}", path_, std::strerror(errno));
  if (exists) (void)::fchmod(file_, info.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0, "{}: cannot write: {}", path_, std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::commit() {
  const bool direct = temporary_.empty();
  check(direct || ::fsync(file_) == 0, "{}: cannot write: {}", path_, std::strerror(errno));
  const int file = file_;
  file_ = -1;
  bool done = ::close(file) == 0;
  if (!direct) {
    done = done && ::rename(temporary_.c_str(), target_.c_str()) == 0;
    const int error = errno;
    if (!done) ::unlink(temporary_.c_str());
    errno = error;
  }
  check(done, "{}: cannot write: {}", path_, std::strerror(errno));
  if (!direct) sync_directory(directory_of(target_));
}

void write_file(const std::string& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

}  // namespace heed
