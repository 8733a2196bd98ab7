// Bars in the terminal: one line each, an eighth of a column fine.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/figure/bar_scale_internal.h"
#include "heed/figure/color_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/terminal_internal.h"

namespace heed {
namespace {

// Without color, series differ in their shade.
constexpr std::array<const char*, 4> kBarShades{"█", "▒", "▓", "░"};
constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

// From `begin` to `end`, in eighths of a column from the left. The begin is rounded to columns.
std::string bar(int begin, int end, size_t series) {
  std::string text(static_cast<size_t>(begin / 8), ' ');
  const int whole = (end - begin / 8 * 8) / 8;
  const char* shade = kBarShades[series % kBarShades.size()];
  for (int i = 0; i < whole; ++i) text += shade;
  if (series % kBarShades.size() == 0) text += kEighths[(end % 8 + 8) % 8];
  return text;
}

}  // namespace

std::string terminal_bars(const Drawing& drawing, const TerminalOptions& options) {
  const Drawing::Bars& bars = *drawing.bars;
  const FigureOptions& texts = drawing.options;
  const auto color_of = [&](size_t s) {
    const int wanted = bars.options[s].color;
    return series_terminal_color(wanted >= 0 ? wanted : static_cast<int>(s));
  };
  std::string result;
  if (!texts.title.empty()) result += line_of(fit_columns(texts.title, options.width));
  std::string legend;
  for (size_t s = 0; s < bars.options.size(); ++s) {
    if (bars.options[s].label.empty()) continue;
    const std::string shade =
        options.color ? kBarShades[0] : std::string(kBarShades[s % kBarShades.size()]);
    legend += (legend.empty() ? "" : "   ") + foreground(color_of(s), options.color) + shade +
              color_end(options.color) + " " + bars.options[s].label;
  }
  if (!legend.empty()) result += line_of(legend);
  int labels = 0;
  for (const std::string& label : bars.labels) labels = std::max(labels, columns_of(label));
  labels = std::min(labels, options.width / 3);
  int numbers = 1;
  for (const std::vector<double>& series : bars.values) {
    for (const double value : series) numbers = std::max(numbers, columns_of(bar_number(value)));
  }
  const int room = std::max(4, options.width - labels - numbers - 4);
  const Axis axis = bar_axis(drawing, 3);
  const double origin = bar_origin(axis);
  for (size_t i = 0; i < bars.labels.size(); ++i) {
    for (size_t s = 0; s < bars.values.size(); ++s) {
      const double value = bars.values[s][i];
      std::string line = pad(s == 0 ? bars.labels[i] : "", labels, Align::right) + " │";
      if (has_place(value, axis.is_log)) {
        const double at = axis.place(value);
        const auto eighth = [&](double place) {
          return static_cast<int>(std::lround(place * room * 8));
        };
        line +=
            foreground(color_of(s), options.color) +
            bar(eighth(std::min(origin, at)), eighth(std::max(origin, at)), options.color ? 0 : s) +
            color_end(options.color);
      }
      line += " " + (std::isnan(value) ? std::string("-") : bar_number(value));
      result += line_of(line);
    }
  }
  if (!texts.x_label.empty()) {
    const std::string scale = texts.log_x ? " (logarithmic)" : "";
    result += line_of(std::string(static_cast<size_t>(labels + 2), ' ') +
                      fit_columns(texts.x_label + scale, room + numbers + 1));
  }
  return result;
}

}  // namespace heed
