#include "tests/cli/piped_heed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace heed {

PipedHeed::PipedHeed(const std::vector<std::string>& arguments) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
  std::vector<std::string> words{HEED_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  input_ = in[1];
  output_ = out[0];
}

PipedHeed::~PipedHeed() {
  close_input();
  ::close(output_);
  if (child_ > 0) ::kill(child_, SIGKILL);
  wait();
}

void PipedHeed::write(const std::string& text) const {
  EXPECT_EQ(::write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

std::string PipedHeed::read() const {
  pollfd output{.fd = output_, .events = POLLIN, .revents = 0};
  if (::poll(&output, 1, 60'000) != 1) return {};
  std::string text(1 << 16, '\0');
  const ssize_t count = ::read(output_, text.data(), text.size());
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

void PipedHeed::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

int PipedHeed::wait() {
  int status = 0;
  if (child_ <= 0) return -1;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace heed
