#include "apps/cli/console/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "apps/message.h"
#include "heed/text/utf8.h"

namespace heed::cli {
namespace {

constexpr int kInterrupted = 130;
constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(10);
constexpr size_t kLineColumns = 80;

volatile std::sig_atomic_t stop_signal = 0;

extern "C" void on_stop(int signal) {
  if (stop_signal != 0) ::_exit(kInterrupted);
  stop_signal = signal;
}

int terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  interrupt_before_ = std::signal(SIGINT, on_stop);
  terminate_before_ = std::signal(SIGTERM, on_stop);
  pipe_before_ = std::signal(SIGPIPE, SIG_IGN);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, interrupt_before_);
  std::signal(SIGTERM, terminate_before_);
  std::signal(SIGPIPE, pipe_before_);
}

bool StopSignals::received() { return stop_signal != 0; }

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(seconds, 0.0)));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

TrainingProgress::TrainingProgress(const ProgressOptions& options)
    : options_(options),
      terminal_(::isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      last_step_(begin_),
      last_shown_(begin_) {}

TrainingProgress::~TrainingProgress() { clear_bar(); }

void TrainingProgress::clear_bar() {
  if (bar_shown_) redraw_line("");
  bar_shown_ = false;
}

std::vector<LinePart> TrainingProgress::parts(const StepReport& report) const {
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double per_step = elapsed / static_cast<double>(std::max<int64_t>(seen_, 1));
  const double left = per_step * static_cast<double>(options_.total_steps - report.step);
  std::vector<LinePart> result = {{fmt::format("step {}/{}", report.step, options_.total_steps)}};
  if (!report.numbers.empty()) {  // an objective tells what matters
    for (const EvaluationScore& number : report.numbers) {
      result.push_back({fmt::format("{} {:.3g}", number.name, number.value)});
    }
  } else {
    result.push_back({fmt::format("loss {:.3f}", loss_)});
    result.push_back({fmt::format("{:.0f} {}/s", speed_, options_.unit), true});
    result.push_back({fmt::format("lr {:.1e}", report.learning_rate), true});
  }
  result.push_back({fmt::format("norm {:.2f}", report.gradient_norm), true});
  result.push_back({fmt::format("ETA {}", duration_text(left))});
  return result;
}

void TrainingProgress::draw(const StepReport& report) {
  const double done = static_cast<double>(report.step) /
                      static_cast<double>(std::max<int64_t>(options_.total_steps, 1));
  const auto columns = static_cast<size_t>(terminal_columns() - 1);
  redraw_line(bar_line(done, parts(report), columns));
  bar_shown_ = true;
}

void TrainingProgress::stepped(const StepReport& report) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_step_).count();
  last_step_ = now;
  const double rate = seconds > 0 ? static_cast<double>(report.label_count) / seconds : 0;
  ++seen_;
  // Means over about the last 50 steps, fewer at the start.
  const double share = 1.0 / static_cast<double>(std::min<int64_t>(seen_, 50));
  loss_ += share * (report.loss - loss_);
  speed_ += share * (rate - speed_);
  if (options_.quiet) return;
  const bool last = report.step == options_.total_steps;
  if (terminal_) {
    if (now - last_shown_ < kBarInterval && !last) return;
    draw(report);
  } else {
    if (now - last_shown_ < kLineInterval && !last && seen_ > 1) return;
    say("{}\n", joined_line(parts(report), kLineColumns));
  }
  last_shown_ = now;
}

std::string sample_line(const std::string& sample) {
  constexpr size_t kColumns = 78;
  std::string line, replaced;
  size_t columns = 0;
  for (const char c : as_utf8(sample, replaced)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) != 0x80U && ++columns > kColumns - 2) return line + "..";
    line += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return line;
}

void TrainingProgress::evaluated(int64_t step, const Evaluation& evaluation, bool is_best) {
  last_step_ = Clock::now();
  if (options_.quiet) return;
  clear_bar();
  say("{}\n", validation_lines(step, evaluation, is_best));
  for (const std::string& sample : evaluation.samples) say("  {}\n", sample_line(sample));
  last_step_ = Clock::now();
}

}  // namespace heed::cli
