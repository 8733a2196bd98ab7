#include "heed/io/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "heed/base/fail.h"

namespace heed {
namespace {

constexpr const char* kTemporary = ".tmp-";

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

std::string file_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The rename itself must survive a power cut. Some file systems cannot sync a directory and say so;
// the file is complete all the same. False if the disk failed; errno says how.
bool sync_directory(const std::string& directory) {
  const int handle = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return true;
  const bool failed = ::fsync(handle) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
  const int error = errno;
  ::close(handle);
  errno = error;
  return !failed;
}

// A writer holds a lock on its temporary file, which ends with it, however it ends.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

bool has_name(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 && info.st_nlink > 0;
}

// Removes what killed writers of the same target left behind: temporary files that nobody locks.
void remove_leftovers(const std::string& target) {
  const std::string directory = directory_of(target);
  const std::string prefix = file_name_of(target) + kTemporary;
  DIR* entries = ::opendir(directory.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    if (!std::string_view(entry->d_name).starts_with(prefix)) continue;
    const std::string path = directory + "/" + entry->d_name;
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    struct stat info {};
    const bool regular = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    if (regular && lock(file) && has_name(file)) ::unlink(path.c_str());
    ::close(file);
  }
  ::closedir(entries);
}

struct Temporary {
  std::string path;
  int file;  // < 0: errno says why
};

// A new file beside the target, locked. Another process may have left a file of the same name
// behind, or take a fresh one for a leftover before it is locked: then the next name is tried.
Temporary create_temporary(const std::string& target) {
  static std::atomic<unsigned> counter = 0;
  for (int tries = 0;; ++tries) {
    Temporary result{fmt::format("{}{}{}-{}", target, kTemporary, ::getpid(), counter++), -1};
    result.file = ::open(result.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (result.file < 0) {
      if (errno == EEXIST && tries < 1000) continue;
      return result;
    }
    // File systems without locks have no leftovers removed either.
    if ((lock(result.file) || errno != EWOULDBLOCK) && has_name(result.file)) return result;
    ::close(result.file);
  }
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
  remove_leftovers(target_);
  Temporary temporary = create_temporary(target_);
  check(temporary.file >= 0, "{}: cannot write: {}", path_, std::strerror(errno));
  temporary_ = std::move(temporary.path);
  file_ = temporary.file;
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
    if (written <= 0) fail_to_write();
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::commit() {
  if (temporary_.empty()) {
    if (::close(std::exchange(file_, -1)) != 0) fail_to_write();
    return;
  }
  if (::fsync(file_) != 0) fail_to_write();
  // Still locked, so that nobody takes the file for a leftover.
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write();
  ::close(std::exchange(file_, -1));
  const bool synced = sync_directory(directory_of(target_));
  check(synced, "{}: cannot sync its directory: {}", path_, std::strerror(errno));
}

void AtomicFile::fail_to_write() const {
  const char* reason = std::strerror(errno);
  const bool older = !temporary_.empty() && ::access(target_.c_str(), F_OK) == 0;
  fail("{}: cannot write: {}{}", path_, reason, older ? "; the older file is unchanged" : "");
}

void write_file(const std::string& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

}  // namespace heed
