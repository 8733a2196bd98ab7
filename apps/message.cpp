#include "apps/message.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>

#include "heed/base/printable.h"

namespace heed {
namespace {

// While it exists, a pipe that nobody reads is an error of write() for this thread and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

void write_all(std::string_view text) {
  const NoPipeSignal no_signal;
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace

void write_message(std::string_view text) noexcept {
  try {
    write_all(printable(text, "\n\t"));
  } catch (...) {  // there is no memory for a message
    return;
  }
}

void redraw_line(std::string_view text) noexcept {
  try {
    write_all("\r\033[K" + printable(text));
  } catch (...) {  // there is no memory for a message
    return;
  }
}

}  // namespace heed
