// The lines that tell how a training goes, in the columns of a terminal.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/train/evaluation.h"

namespace heed::cli {

struct LinePart {
  std::string text;
  bool may_go = false;  // where there is no room for it
};

// The parts with two spaces between them. What may go does so, the last one first, until the line
// fits.
inline std::string joined_line(std::vector<LinePart> parts, size_t columns) {
  for (;;) {
    std::string line;
    for (const LinePart& part : parts) line += (line.empty() ? "" : "  ") + part.text;
    const auto last = std::find_if(parts.rbegin(), parts.rend(),
                                   [](const LinePart& part) { return part.may_go; });
    if (line.size() <= columns || last == parts.rend()) return line;
    parts.erase(std::next(last).base());
  }
}

// "[####......] step 40/100  loss 2.31": the bar is wide enough to be one, whatever the parts.
inline std::string bar_line(double done, const std::vector<LinePart>& parts, size_t columns) {
  constexpr size_t kMin = 5, kMax = 24, kAround = 3;  // brackets and a space
  const std::string line = joined_line(parts, columns - std::min(columns, kMin + kAround));
  if (line.size() + kMin + kAround > columns) return line.substr(0, columns);
  const size_t width = std::min(kMax, columns - kAround - line.size());
  const auto full =
      static_cast<size_t>(std::lround(std::clamp(done, 0.0, 1.0) * static_cast<double>(width)));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "] " + line;
}

// "step 500: valid  loss 0.123  bleu 38.61  best", on a second line what the first has no room for.
inline std::string validation_lines(int64_t step, const Evaluation& evaluation, bool is_best) {
  constexpr size_t kColumns = 80;
  std::string text = fmt::format("step {}: valid", step);
  const auto add = [&](const std::string& part) {
    const size_t begin = text.rfind('\n') + 1;  // 0 in the first line
    const bool fits = text.size() - begin + 2 + part.size() <= kColumns;
    text += (fits ? "  " : "\n    ") + part;
  };
  for (const EvaluationScore& score : evaluation.scores) {
    if (score.name != "tokens") add(fmt::format("{} {:.4g}", score.name, score.value));
  }
  if (is_best) add("best");
  return text;
}

}  // namespace heed::cli
