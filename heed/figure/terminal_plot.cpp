// Lines and points in the terminal. Lines are drawn with Braille characters, which have 2 x 4 dots
// each; points are one character each and stand on top.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "heed/figure/axis_internal.h"
#include "heed/figure/color_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/terminal_internal.h"

namespace heed {
namespace {

constexpr std::array<const char*, 4> kMarks{"o", "x", "+", "*"};
constexpr double kTerminalMargin = 0.03;

std::string braille(unsigned dots) {
  // U+2800 + dots as UTF-8.
  return {'\xe2', static_cast<char>(0xa0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3f))};
}

class Canvas {
 public:
  Canvas(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        cells_(static_cast<size_t>(columns) * static_cast<size_t>(rows)) {}

  int dots_across() const { return 2 * columns_; }
  int dots_down() const { return 4 * rows_; }

  void dot(int x, int y, int color) {
    // Bit of the dot at (column, row) of a Braille character.
    constexpr unsigned kBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    if (x < 0 || y < 0 || x >= dots_across() || y >= dots_down()) return;
    Cell& cell = at(x / 2, y / 4);
    cell.dots |= kBits[x % 2][y % 4];
    cell.color = color;
  }

  void mark(int x, int y, const char* mark, int color) {
    if (x < 0 || y < 0 || x >= dots_across() || y >= dots_down()) return;
    at(x / 2, y / 4) = {0, mark, color};
  }

  std::string row(int row, bool with_color) const {
    std::string line;
    for (int column = 0; column < columns_; ++column) {
      const Cell& cell = cells_[index(column, row)];
      if (cell.mark == nullptr && cell.dots == 0) {
        line += ' ';
        continue;
      }
      line += foreground(cell.color, with_color);
      line += cell.mark != nullptr ? cell.mark : braille(cell.dots);
      line += color_end(with_color);
    }
    return line;
  }

 private:
  struct Cell {
    unsigned dots = 0;
    const char* mark = nullptr;
    int color = 0;
  };
  size_t index(int column, int row) const {
    return static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column);
  }
  Cell& at(int column, int row) { return cells_[index(column, row)]; }

  int columns_;
  int rows_;
  std::vector<Cell> cells_;
};

// Which dots of a line are set, over and over; the first three are the styles of a line. Their
// first eight dots, which a legend shows, differ.
constexpr std::array<std::string_view, 6> kPatterns{"#",    "######....", "#...",
                                                    "##..", "####..#.",   "#......."};

bool is_drawn(size_t pattern, int64_t n) {
  const std::string_view dots = kPatterns[pattern];
  return dots[static_cast<size_t>(n) % dots.size()] == '#';
}

// How each series looks. Without color, two lines of the same style could not be told apart: the
// second takes a pattern that is still free.
struct Look {
  size_t pattern = 0;
  const char* mark = nullptr;  // of points
  int color = 0;
};

std::vector<Look> looks_of(const Drawing& drawing, bool color) {
  std::vector<Look> looks;
  size_t marks = 0;
  std::array<bool, kPatterns.size()> is_used{};
  for (const Drawing::Series& series : drawing.series) {
    Look look{static_cast<size_t>(series.options.style), nullptr, 0};
    const int index = series.options.color;
    look.color = series_terminal_color(index >= 0 ? index : static_cast<int>(looks.size()));
    if (!series.is_line) {
      look.mark = kMarks[marks++ % kMarks.size()];
    } else if (!color) {
      for (size_t i = 0; i < is_used.size() && is_used[look.pattern]; ++i) {
        if (!is_used[i]) look.pattern = i;
      }
      is_used[look.pattern] = true;
    }
    looks.push_back(look);
  }
  return looks;
}

void draw_series(const Drawing::Series& series, const Look& look, const PlotAxes& frame,
                 Canvas& canvas) {
  const auto is_drawable = [&](size_t i) {
    return has_place(series.x[i], frame.x.is_log) && has_place(series.y[i], frame.y.is_log);
  };
  const auto dot_x = [&](double x) { return frame.x.place(x) * (canvas.dots_across() - 1); };
  const auto dot_y = [&](double y) { return (1 - frame.y.place(y)) * (canvas.dots_down() - 1); };
  const auto round = [](double value) { return static_cast<int>(std::lround(value)); };
  int64_t drawn = 0;
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!is_drawable(i)) continue;
    const double x = dot_x(series.x[i]);
    const double y = dot_y(series.y[i]);
    if (!series.is_line) {
      canvas.mark(round(x), round(y), look.mark, look.color);
      continue;
    }
    const bool begins = i == 0 || !is_drawable(i - 1);
    const double from_x = begins ? x : dot_x(series.x[i - 1]);
    const double from_y = begins ? y : dot_y(series.y[i - 1]);
    const double distance = std::max(std::abs(x - from_x), std::abs(y - from_y));
    const int steps = std::max(1, static_cast<int>(std::ceil(distance)));
    for (int step = begins ? 0 : 1; step <= steps; ++step) {
      const double t = static_cast<double>(step) / steps;
      if (is_drawn(look.pattern, drawn++)) {
        canvas.dot(round(from_x + t * (x - from_x)), round(from_y + t * (y - from_y)), look.color);
      }
    }
  }
}

// Every fourth dot of the area, so that lines on it can be seen.
void draw_terminal_band(const Drawing::Series& series, const Look& look, const PlotAxes& frame,
                        Canvas& canvas) {
  const int across = canvas.dots_across();
  const int down = canvas.dots_down();
  const auto round = [](double value) { return static_cast<int>(std::lround(value)); };
  for (size_t i = 1; i < series.x.size(); ++i) {
    const auto is_drawable = [&](size_t j) {
      return has_place(series.x[j], frame.x.is_log) && has_place(series.y[j], frame.y.is_log) &&
             has_place(series.low[j], frame.y.is_log);
    };
    if (!is_drawable(i - 1) || !is_drawable(i)) continue;
    const double from = frame.x.place(series.x[i - 1]) * (across - 1);
    const double to = frame.x.place(series.x[i]) * (across - 1);
    if (!(to > from)) continue;
    for (int x = round(from); x <= round(to); ++x) {
      const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
      const auto between = [&](const std::vector<double>& edge) {
        const double place = frame.y.place(edge[i - 1]) * (1 - t) + frame.y.place(edge[i]) * t;
        return round((1 - place) * (down - 1));
      };
      for (int y = between(series.y); y <= between(series.low); ++y) {
        if (x % 2 == 0 && y % 2 == 0) canvas.dot(x, y, look.color);
      }
    }
  }
}

std::string legend(const Drawing& drawing, const std::vector<Look>& looks,
                   const TerminalOptions& options) {
  constexpr int kSample = 4;  // columns
  std::string result;
  std::string line;
  int used = 0;
  for (size_t i = 0; i < looks.size(); ++i) {
    const Drawing::Series& series = drawing.series[i];
    if (series.options.label.empty()) continue;
    const std::string label = fit_columns(series.options.label, options.width - kSample - 1);
    const int width = (series.is_line ? kSample : 1) + 1 + columns_of(label);
    if (used > 0 && used + 3 + width > options.width) {
      result += line_of(line);
      line.clear();
      used = 0;
    }
    if (used > 0) line += "   ";
    used += (used > 0 ? 3 : 0) + width;
    line += foreground(looks[i].color, options.color);
    if (series.is_line) {
      Canvas sample(kSample, 1);
      for (int x = 0; x < sample.dots_across(); ++x) {
        if (is_drawn(looks[i].pattern, x)) sample.dot(x, 1, 0);
      }
      line += sample.row(0, false);
    } else {
      line += looks[i].mark;
    }
    line += color_end(options.color) + " " + label;
  }
  return line.empty() ? result : result + line_of(line);
}

// The ticks below the plot and their labels, which are left out where they would touch.
std::string x_axis(const Axis& axis, int columns, int margin) {
  std::vector<bool> is_tick(static_cast<size_t>(columns), false);
  std::string labels(static_cast<size_t>(margin), ' ');
  int end = 0;  // first free column of the labels
  for (const Tick& tick : axis.ticks) {
    const auto at = static_cast<int>(std::lround(axis.place(tick.value) * (columns - 1)));
    is_tick[std::clamp(at, 0, columns - 1)] = true;
    const int width = columns_of(tick.label);
    const int begin = margin + std::clamp(at - width / 2, -margin, std::max(0, columns - width));
    if (begin < end) continue;
    labels.resize(static_cast<size_t>(std::max(begin, static_cast<int>(labels.size()))), ' ');
    labels.replace(static_cast<size_t>(begin), std::string::npos, tick.label);
    end = begin + width + 1;
  }
  std::string line(static_cast<size_t>(margin - 1), ' ');
  line += "└";
  for (const bool tick : is_tick) line += tick ? "┬" : "─";
  return line_of(line) + line_of(labels);
}

}  // namespace

std::string terminal_plot(const Drawing& drawing, const TerminalOptions& options) {
  const FigureOptions& texts = drawing.options;
  const int height = options.height;
  PlotAxes frame = plot_axes(drawing, 5, std::max(2, height / 4), 0, kTerminalMargin);
  int label = 0;
  for (const Tick& tick : frame.y.ticks) label = std::max(label, columns_of(tick.label));
  label = std::min(label, options.width / 3);
  const int margin = label + 2;  // a space and the axis
  const int columns = std::max(4, options.width - margin);
  frame =
      plot_axes(drawing, std::max(2, columns / 12), std::max(2, height / 4), 0, kTerminalMargin);

  const std::vector<Look> looks = looks_of(drawing, options.color);
  Canvas canvas(columns, height);
  for (const bool lines : {true, false}) {  // points on top of lines
    for (size_t i = 0; i < looks.size(); ++i) {
      const Drawing::Series& series = drawing.series[i];
      if (series.is_line != lines) continue;
      if (series.low.empty()) {
        draw_series(series, looks[i], frame, canvas);
      } else {
        draw_terminal_band(series, looks[i], frame, canvas);
      }
    }
  }

  std::vector<std::string> tick_labels(static_cast<size_t>(height));
  for (const Tick& tick : frame.y.ticks) {
    const double row = (1 - frame.y.place(tick.value)) * (height - 1);
    tick_labels[static_cast<size_t>(std::lround(row))] = tick.label;
  }
  std::string result;
  if (!texts.title.empty()) result += line_of(fit_columns(texts.title, options.width));
  result += legend(drawing, looks, options);
  if (!texts.y_label.empty()) {
    const int room = options.width - margin + 1;
    result += line_of(std::string(static_cast<size_t>(margin - 1), ' ') +
                      fit_columns(texts.y_label, room));
  }
  for (int row = 0; row < height; ++row) {
    const std::string& tick = tick_labels[row];
    result += line_of(pad(tick, label, Align::right) + " " + (tick.empty() ? "│" : "┤") +
                      canvas.row(row, options.color));
  }
  result += x_axis(frame.x, columns, margin);
  if (!texts.x_label.empty()) {
    result += line_of(std::string(static_cast<size_t>(margin), ' ') +
                      pad(texts.x_label, columns, Align::center));
  }
  return result;
}

}  // namespace heed
