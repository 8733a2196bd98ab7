// A socket whose requests must come in time and must not be too long.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

#include "apps/server/http_limits.h"

namespace heed::server {

class LimitedSocket {
 public:
  // Once `hurry` is set, a client that does not read is given up soon.
  LimitedSocket(int socket, const HttpLimits& limits, const std::atomic<bool>& hurry)
      : socket_(socket), limits_(limits), hurry_(hurry) {}

  int socket() const { return socket_; }

  // The begin of a request, and of its body: all of it must come within a time that starts now.
  void expect_head();
  void expect_body();
  // The status that a request which is cut off is to be answered with; 0: none.
  int refusal() const { return refusal_; }

  // Waits for the first byte of the next request; false: none came.
  bool wait(const std::atomic<bool>& stopping);
  bool disconnected() const;  // the other side has closed
  // Lets the client read the answer to a request that was not read to its end: a socket that is
  // closed with bytes unread loses what was sent.
  void drain(double seconds);

  bool is_readable() const;
  bool is_writable() const;  // waits until it is
  // -1: the other side has closed, or a limit is reached.
  ssize_t read(char* to, size_t size);
  ssize_t write(const char* from, size_t size);

 private:
  using Clock = std::chrono::steady_clock;

  static Clock::time_point after(double seconds);
  static int milliseconds_until(Clock::time_point end);
  bool poll_for(int what, int milliseconds) const;
  bool fill();

  const int socket_;
  const HttpLimits& limits_;
  const std::atomic<bool>& hurry_;
  std::array<char, 16384> buffer_;
  size_t begin_ = 0, end_ = 0;  // what is in the buffer
  Clock::time_point deadline_ = {};
  size_t head_left_ = 0;
  bool in_head_ = true;
  int refusal_ = 0;
};

}  // namespace heed::server
