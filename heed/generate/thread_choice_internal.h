// One thread or all of them, whichever is faster.
//
// The steps of a small model are short: a team of threads gains little there, and on a machine
// with other work each of the team waits for partners that do not run. So now and then some steps
// are tried the other way, in a fiftieth of the time. The bits are the same either way.
#pragma once

#include <array>
#include <cstddef>

namespace heed {

class ThreadChoice {
 public:
  ThreadChoice();

  // For a step that reads this many tokens.
  bool uses_all(size_t rows) const { return paces_[size_of(rows)].is_all; }
  // How long that step took.
  void record(size_t rows, double seconds);

 private:
  static constexpr size_t kTried = 5, kSizes = 12;

  // Steps of one way, of which the middle one of the last counts: a step may be interrupted.
  struct Steps {
    std::array<double, kTried> last = {};  // seconds per row
    size_t count = 0;
    double total = 0;  // seconds

    void add(size_t rows, double seconds);
    double median() const;
  };

  // Steps of about the same size.
  struct Pace {
    bool is_all = false;  // now
    bool is_trial = false;
    Steps settled, tried;
    double pause = 0;  // seconds of steps until the next trial
  };

  static size_t size_of(size_t rows);
  static void end_trial(Pace& pace);

  std::array<Pace, kSizes> paces_;  // of 1 row, 2, up to 4, up to 8, ..
};

}  // namespace heed
