#include "apps/cli/inputs/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "heed/base/fail.h"

namespace heed::cli {
namespace {

constexpr size_t kReadAtOnce = 1 << 16;

// An open file; stdin stays open.
class OpenFile {
 public:
  explicit OpenFile(const std::string& name)
      : name_(name == "-" ? "stdin" : name),
        file_(name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail("{}: cannot open: {}", name, std::strerror(errno));
  }
  ~OpenFile() {
    if (file_ != STDIN_FILENO) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& name() const { return name_; }

  // True if read_more() would wait for somebody to write.
  bool is_waiting() const {
    pollfd input{.fd = file_, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, 0) == 0;
  }

  // Appends what can be read; false at the end.
  bool read_more(std::string& text) const {
    const size_t before = text.size();
    text.resize(before + kReadAtOnce);
    ssize_t count = -1;
    do {
      count = ::read(file_, text.data() + before, kReadAtOnce);
    } while (count < 0 && errno == EINTR);
    if (count < 0) fail("{}: cannot read: {}", name_, std::strerror(errno));
    text.resize(before + static_cast<size_t>(count));
    return count > 0;
  }

 private:
  std::string name_;
  int file_;
};

void lines_of(const OpenFile& file, const std::function<void(const Line&)>& use,
              const std::function<void()>& on_wait) {
  std::string text;  // what was read and is not used yet
  int64_t number = 0;
  for (size_t searched = 0;; searched = text.size()) {
    if (on_wait && file.is_waiting()) on_wait();
    if (!file.read_more(text)) break;
    size_t begin = 0;
    for (size_t end = text.find('\n', searched); end != std::string::npos;
         end = text.find('\n', begin)) {
      use({std::string_view(text).substr(begin, end - begin), file.name(), ++number});
      begin = end + 1;
    }
    text.erase(0, begin);
  }
  if (!text.empty()) use({text, file.name(), ++number});
}

}  // namespace

void for_each_line(const std::vector<std::string>& files,
                   const std::function<void(const Line&)>& use,
                   const std::function<void()>& on_wait) {
  static const std::vector<std::string> kStdin{"-"};
  for (const std::string& name : files.empty() ? kStdin : files) {
    lines_of(OpenFile(name), use, on_wait);
  }
}

}  // namespace heed::cli
