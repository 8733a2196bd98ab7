// Bars as SVG: labels on the left, horizontal bars, the number at the end of each.

#include <algorithm>
#include <cmath>

#include "heed/figure/bar_scale_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/svg_internal.h"

namespace heed {
namespace {

Color bar_color(const Drawing::Bars& bars, size_t series) {
  const int wanted = bars.options[series].color;
  return series_color(wanted >= 0 ? wanted : static_cast<int>(series));
}

Box draw_bars_legend(const Drawing::Bars& bars, Box box, SvgWriter& svg) {
  double x = box.x;
  bool any = false;
  for (size_t i = 0; i < bars.options.size(); ++i) {
    const std::string& label = bars.options[i].label;
    if (label.empty()) continue;
    any = true;
    svg.rectangle({x, box.y + 2, 12, 10}, bar_color(bars, i).hex());
    svg.text({x + 17, box.y + 11}, label, {.size = kTickSize});
    x += 17 + pixels_of(label, kTickSize) + 14;
  }
  if (any) {
    box.y += 21;
    box.height -= 21;
  }
  return box;
}

}  // namespace

void draw_svg_bars(const Drawing& drawing, const Box& box, SvgWriter& svg) {
  const Drawing::Bars& bars = *drawing.bars;
  const FigureOptions& options = drawing.options;
  const Box outer = draw_bars_legend(bars, draw_title(drawing, box, svg), svg);
  double labels = 0;
  for (const std::string& label : bars.labels) {
    labels = std::max(labels, pixels_of(label, kTickSize));
  }
  labels = std::min(labels, outer.width * 0.4);
  double numbers = 0;
  for (const std::vector<double>& series : bars.values) {
    for (const double value : series) {
      numbers = std::max(numbers, pixels_of(bar_number(value), kTickSize));
    }
  }
  const double y_label = options.y_label.empty() ? 0 : kLabelSize + 8;
  const double bottom = kTickSize + 8 + (options.x_label.empty() ? 0 : kLabelSize + 8);
  const Box area{outer.x + y_label + labels + 8, outer.y,
                 outer.width - y_label - labels - 8 - numbers - 8, outer.height - bottom};
  const Axis axis = bar_axis(drawing, std::max(2, static_cast<int>(area.width / 60)));
  for (const Tick& tick : axis.ticks) {
    const double x = area.x + axis.place(tick.value) * area.width;
    svg.line({x, area.y}, {x, area.bottom()}, {"#e3e3e3"});
    svg.text({x, area.bottom() + 6 + kTickSize}, tick.label,
             {.size = kTickSize, .anchor = "middle"});
  }
  const double slot = area.height / static_cast<double>(std::max<size_t>(bars.labels.size(), 1));
  const double thick = slot * 0.76 / static_cast<double>(bars.values.size());
  const double origin = area.x + bar_origin(axis) * area.width;
  for (size_t i = 0; i < bars.labels.size(); ++i) {
    const double top = area.y + static_cast<double>(i) * slot;
    svg.text({area.x - 6, top + slot / 2 + kTickSize * 0.36},
             fit_pixels(bars.labels[i], kTickSize, labels + 1),
             {.size = kTickSize, .anchor = "end"});
    for (size_t s = 0; s < bars.values.size(); ++s) {
      const double value = bars.values[s][i];
      const double y = top + slot * 0.12 + static_cast<double>(s) * thick;
      const double middle = y + thick / 2 + kTickSize * 0.36;
      if (!has_place(value, axis.is_log)) {
        svg.text({origin + 5, middle}, std::isnan(value) ? "–" : bar_number(value),
                 {.size = kTickSize, .color = "#666666"});
        continue;
      }
      const double end = area.x + axis.place(value) * area.width;
      svg.rectangle({std::min(origin, end), y, std::abs(end - origin), thick * 0.94},
                    bar_color(bars, s).hex());
      svg.text({std::max(origin, end) + 5, middle}, bar_number(value), {.size = kTickSize});
    }
  }
  svg.line({origin, area.y}, {origin, area.bottom()}, {"#777777"});
  draw_axis_names(options, area, outer, svg);
}

}  // namespace heed
