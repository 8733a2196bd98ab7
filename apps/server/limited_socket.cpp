#include "apps/server/limited_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>

namespace heed::server {
namespace {

constexpr int kLook = 100;  // milliseconds, for a server that stops

}  // namespace

LimitedSocket::Clock::time_point LimitedSocket::after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

int LimitedSocket::milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

bool LimitedSocket::poll_for(int what, int milliseconds) const {
  pollfd one{};
  one.fd = socket_;
  one.events = static_cast<decltype(one.events)>(what);
  return ::poll(&one, 1, milliseconds) > 0;
}

void LimitedSocket::expect_head() {
  deadline_ = after(limits_.head_seconds);
  head_left_ = limits_.head_bytes;
  in_head_ = true;
  refusal_ = 0;
}

void LimitedSocket::expect_body() {
  deadline_ = after(limits_.body_seconds);
  in_head_ = false;
}

bool LimitedSocket::wait(const std::atomic<bool>& stopping) {
  const Clock::time_point end = after(limits_.idle_seconds);
  while (begin_ == end_) {
    if (stopping || Clock::now() >= end) return false;
    if (poll_for(POLLIN, std::min(milliseconds_until(end), kLook))) return true;
  }
  return true;
}

bool LimitedSocket::disconnected() const {
  char byte = 0;
  return poll_for(POLLIN, 0) && ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void LimitedSocket::drain(double seconds) {
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point end = after(seconds);
  while (Clock::now() < end && poll_for(POLLIN, milliseconds_until(end))) {
    if (::recv(socket_, buffer_.data(), buffer_.size(), 0) <= 0) return;
  }
}

bool LimitedSocket::is_readable() const { return begin_ < end_ || poll_for(POLLIN, 0); }

bool LimitedSocket::is_writable() const {
  constexpr double kHurry = 0.5;  // seconds
  Clock::time_point end = after(limits_.write_seconds);
  bool is_hurried = false;
  while (!poll_for(POLLOUT, std::min(milliseconds_until(end), kLook))) {
    if (Clock::now() >= end) return false;
    if (hurry_ && !is_hurried) end = std::min(end, after(kHurry));
    is_hurried = hurry_;
  }
  return true;
}

bool LimitedSocket::fill() {
  const int left = milliseconds_until(deadline_);
  if (left == 0 || !poll_for(POLLIN, left)) {
    refusal_ = 408;
    return false;
  }
  const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (got <= 0) return false;
  begin_ = 0;
  end_ = static_cast<size_t>(got);
  return true;
}

ssize_t LimitedSocket::read(char* to, size_t size) {
  if (begin_ == end_ && !fill()) return -1;
  size = std::min(size, end_ - begin_);
  if (in_head_ && size > head_left_) {
    refusal_ = 431;
    return -1;
  }
  if (in_head_) head_left_ -= size;
  std::copy_n(buffer_.data() + begin_, size, to);
  begin_ += size;
  return static_cast<ssize_t>(size);
}

ssize_t LimitedSocket::write(const char* from, size_t size) {
  if (!is_writable()) return -1;
  return ::send(socket_, from, size, MSG_NOSIGNAL);
}

}  // namespace heed::server
