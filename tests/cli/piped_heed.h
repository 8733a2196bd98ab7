// The program with pipes for stdin and stdout, as another program would talk to it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace heed {

class PipedHeed {
 public:
  explicit PipedHeed(const std::vector<std::string>& arguments);
  ~PipedHeed();
  PipedHeed(const PipedHeed&) = delete;
  PipedHeed& operator=(const PipedHeed&) = delete;

  void write(const std::string& text) const;

  // What is there, or comes within a minute; empty at the end, and if nothing comes.
  std::string read() const;

  void close_input();
  int wait();  // the exit code

 private:
  pid_t child_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace heed
