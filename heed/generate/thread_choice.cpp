#include <algorithm>
#include <bit>

#include "heed/generate/thread_choice_internal.h"

namespace heed {

// Long texts are worth a team before anything is known.
ThreadChoice::ThreadChoice() {
  constexpr size_t kMany = 32;
  for (size_t size = size_of(kMany); size < kSizes; ++size) paces_[size].is_all = true;
}

void ThreadChoice::Steps::add(size_t rows, double seconds) {
  last[count++ % kTried] = seconds / static_cast<double>(std::max<size_t>(rows, 1));
  total += seconds;
}

double ThreadChoice::Steps::median() const {
  std::array<double, kTried> sorted = last;
  const size_t known = std::min(count, kTried);
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known));
  return sorted[known / 2];
}

size_t ThreadChoice::size_of(size_t rows) {
  const auto bits = static_cast<size_t>(std::bit_width(std::max<size_t>(rows, 1) - 1));
  return std::min(bits, kSizes - 1);
}

// The trial becomes the rule if it was faster by more than chance would have it. The next one waits
// for so long that trials take little of the time, however badly they go.
void ThreadChoice::end_trial(Pace& pace) {
  constexpr double kRarely = 50;
  const bool is_faster =
      pace.tried.count >= kTried && pace.tried.median() < 0.95 * pace.settled.median();
  pace.is_trial = false;
  pace.pause = kRarely * pace.tried.total;
  if (is_faster) {
    pace.settled = pace.tried;
  } else {
    pace.is_all = !pace.is_all;
  }
  pace.settled.total = 0;
  pace.tried = {};
}

void ThreadChoice::record(size_t rows, double seconds) {
  Pace& pace = paces_[size_of(rows)];
  if (pace.is_trial) {
    pace.tried.add(rows, seconds);
    constexpr double kBad = 4;  // this many times slower: the trial ends at once
    const bool is_bad = pace.tried.median() > kBad * pace.settled.median();
    if (is_bad || pace.tried.count >= kTried) end_trial(pace);
    return;
  }
  pace.settled.add(rows, seconds);
  if (pace.settled.count < kTried || pace.settled.total < pace.pause) return;
  pace.is_trial = true;
  pace.is_all = !pace.is_all;
}

}  // namespace heed
