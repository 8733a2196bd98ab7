#include "heed/base/team_internal.h"

#include <unistd.h>

#include <chrono>
#include <exception>

namespace heed {
namespace {

// The parts of the state. Rounds are counted modulo 2^16: a member that slept through a multiple of
// that many would miss one more, which it may.
constexpr uint32_t kMembers = (1U << 14) - 1;
constexpr uint32_t kOpen = 1U << 14;
constexpr uint32_t kEnd = 1U << 15;
constexpr uint32_t kRound = 1U << 16;

uint32_t round_of(uint32_t state) { return state / kRound; }

// How long to wait in which way. Operations follow each other within some microseconds; a sleeping
// thread takes 36 to wake up.
constexpr std::chrono::microseconds kSpin{10}, kOffer{500};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits until done(state) and returns that state.
template <class Done>
uint32_t wait_until(const std::atomic<uint32_t>& state, const Done& done) {
  constexpr int kPausesPerLook = 16;
  using Clock = std::chrono::steady_clock;
  uint32_t now = state.load(std::memory_order_acquire);
  if (done(now)) return now;
  const auto begin = Clock::now();
  for (auto waited = Clock::duration::zero(); waited < kOffer; waited = Clock::now() - begin) {
    if (waited >= kSpin) std::this_thread::yield();
    for (int i = 0; i < kPausesPerLook; ++i) {
      now = state.load(std::memory_order_acquire);
      if (done(now)) return now;
      relax();
    }
  }
  while (!done(now)) {
    state.wait(now, std::memory_order_acquire);
    now = state.load(std::memory_order_acquire);
  }
  return now;
}

}  // namespace

Team::Team(int size) : size_(size), process_(::getpid()) {
  others_.reserve(static_cast<size_t>(size - 1));
  try {
    for (int i = 1; i < size; ++i) others_.emplace_back([this, i] { serve(i); });
  } catch (const std::exception&) {
    return;  // no more threads, or memory for them, for this process
  }
}

Team::~Team() {
  if (::getpid() != process_) {  // forked: the other threads are not in this process
    for (std::thread& thread : others_) thread.detach();
    return;
  }
  state_.fetch_or(kEnd);
  state_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void Team::run(const std::function<void(int)>& work) {
  work_ = &work;
  state_.store((round_of(state_.load()) + 1) * kRound | kOpen);  // nobody else changes it now
  state_.notify_all();
  work(0);
  state_.fetch_and(~kOpen);
  wait_until(state_, [](uint32_t state) { return (state & kMembers) == 0; });
}

void Team::serve(int index) {
  uint32_t last = 0;
  for (;;) {
    uint32_t state = wait_until(state_, [&](uint32_t now) {
      return (now & kEnd) != 0 || ((now & kOpen) != 0 && round_of(now) != last);
    });
    if ((state & kEnd) != 0) return;
    if (!state_.compare_exchange_strong(state, state + 1)) continue;
    last = round_of(state);
    (*work_)(index);
    state = state_.fetch_sub(1) - 1;
    if ((state & (kOpen | kMembers)) == 0) state_.notify_all();
  }
}

}  // namespace heed
