#include "heed/figure/diagram.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "heed/base/fail.h"
#include "heed/figure/color_internal.h"
#include "heed/figure/label.h"
#include "heed/figure/svg_internal.h"

namespace heed {
namespace {

constexpr double kBoxText = 12, kLine = 15, kInset = 8, kMargin = 18, kTitleSpace = 34,
                 kBypass = 14;  // from the boxes to the line past them

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

double width_of(const DiagramBox& box) {
  double widest = 24;
  for (const std::string& line : lines_of(box.text)) {
    widest = std::max(widest, 1.1 * pixels_of(line, kBoxText));  // bold letters are wider
  }
  return widest + 2 * kInset;
}

Point middle(const Box& box) { return {box.x + box.width / 2, box.y + box.height / 2}; }

// Where the line from the middle of a box toward a point leaves the box.
Point edge_toward(const Box& box, const Point& to) {
  const Point from = middle(box);
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double across = dx == 0 ? 1e300 : box.width / 2 / std::abs(dx);
  const double along = dy == 0 ? 1e300 : box.height / 2 / std::abs(dy);
  const double part = std::min({across, along, 1.0});
  return {from.x + part * dx, from.y + part * dy};
}

// The rectangles of all boxes.
std::vector<Box> placed(const std::vector<DiagramBox>& boxes, const DiagramOptions& options) {
  size_t lines = 1;
  std::map<int, double> widths;  // by whole column; a box between two belongs to the left one
  double first_row = 0;
  for (const DiagramBox& box : boxes) {
    lines = std::max(lines, lines_of(box.text).size());
    double& widest = widths[static_cast<int>(std::floor(box.column))];
    widest = std::max(widest, width_of(box));
    first_row = std::min(first_row, box.row);
  }
  const double height = static_cast<double>(lines) * kLine + 2 * kInset;
  std::map<int, double> starts;
  double x = kMargin;
  int before = 0;
  for (const auto& [column, width] : widths) {
    if (!starts.empty()) x += (column - before) * options.column_gap;
    starts[column] = x;
    x += width;
    before = column;
  }
  std::vector<Box> result;
  for (const DiagramBox& box : boxes) {
    const int column = static_cast<int>(std::floor(box.column));
    const double width = widths.at(column);
    result.push_back({starts.at(column) + (box.column - column) * (width + options.column_gap),
                      kMargin + (box.row - first_row) * (height + options.row_gap), width, height});
  }
  return result;
}

void draw_head(const Point& tip, double angle, double size, const StrokeStyle& style,
               double opacity, SvgWriter& svg) {
  const auto corner = [&](double turn) {
    return Point{tip.x - size * std::cos(angle + turn), tip.y - size * std::sin(angle + turn)};
  };
  const std::vector<Point> head{tip, corner(0.42), corner(-0.42)};
  svg.polygon(head, style.color, opacity);
}

void draw_label(const Point& at, const std::string& label, SvgWriter& svg) {
  if (label.empty()) return;
  const double width = pixels_of(label, kTickSize) + 6;
  svg.area({at.x - width / 2, at.y - 8, width, 15}, "#ffffff", 0.85);
  svg.text({at.x, at.y + 4}, label, {.size = kTickSize, .anchor = "middle"});
}

// Gray mixed with white by the weight, which looks the same in every viewer.
std::string arrow_color(double weight) {
  const auto level = [&](int dark) {
    return static_cast<uint8_t>(std::lround(205 + (dark - 205) * weight));
  };
  return Color{level(0x00), level(0x5a), level(0x8c)}.hex();
}

void draw_arc(const Box& from, const Box& to, const DiagramArrow& arrow, const StrokeStyle& style,
              SvgWriter& svg) {
  const Point a{middle(from).x, from.y}, b{middle(to).x, to.y};
  const double rise = 14 + 0.22 * std::abs(b.x - a.x);
  std::vector<Point> points;
  for (int i = 0; i <= 32; ++i) {
    const double t = i / 32.0;
    points.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y) - 4 * rise * t * (1 - t)});
  }
  svg.polyline(points, style);
  const Point& near_end = points[points.size() - 3];
  draw_head(b, std::atan2(b.y - near_end.y, b.x - near_end.x), 6 + 2 * style.width, style, 1, svg);
  draw_label({(a.x + b.x) / 2, std::min(a.y, b.y) - rise}, arrow.label, svg);
}

void draw_straight(const Box& from, const Box& to, const DiagramArrow& arrow,
                   const StrokeStyle& style, SvgWriter& svg) {
  const Point start = edge_toward(from, middle(to)), end = edge_toward(to, middle(from));
  const double angle = std::atan2(end.y - start.y, end.x - start.x);
  const double head = 6 + 2 * style.width;
  svg.line(start, {end.x - head * 0.8 * std::cos(angle), end.y - head * 0.8 * std::sin(angle)},
           style);
  draw_head(end, angle, head, style, 1, svg);
  // Arrows that cross do so at their middles: labels stand nearer to the end.
  draw_label({start.x + 0.75 * (end.x - start.x), start.y + 0.75 * (end.y - start.y)}, arrow.label,
             svg);
}

void draw_elbow(const Box& from, const Box& to, const DiagramArrow& arrow, const StrokeStyle& style,
                SvgWriter& svg) {
  const Point start{from.right(), middle(from).y}, end{to.x, middle(to).y};
  const double across = (start.x + end.x) / 2, head = 6 + 2 * style.width;
  const std::vector<Point> way{
      start, {across, start.y}, {across, end.y}, {end.x - head * 0.8, end.y}};
  svg.polyline(way, style);
  draw_head(end, 0, head, style, 1, svg);
  draw_label({across, (start.y + end.y) / 2}, arrow.label, svg);
}

void draw_bypass(const Box& from, const Box& to, const DiagramArrow& arrow,
                 const StrokeStyle& style, SvgWriter& svg) {
  // Off the middles of the boxes, so that one that ends at a box and one that begins there stay
  // two.
  const double aside = (to.y < from.y ? 0.2 : -0.2) * from.height;
  const Point start{from.right(), middle(from).y - aside}, end{to.right(), middle(to).y + aside};
  const double across = std::max(start.x, end.x) + kBypass, head = 6 + 2 * style.width;
  const std::vector<Point> way{
      start, {across, start.y}, {across, end.y}, {end.x + head * 0.8, end.y}};
  svg.polyline(way, style);
  draw_head(end, std::numbers::pi, head, style, 1, svg);
  draw_label({across, (start.y + end.y) / 2}, arrow.label, svg);
}

void draw_box(const DiagramBox& box, const Box& at, SvgWriter& svg) {
  svg.rectangle(at, "#ffffff");
  svg.area(at, series_color(box.color).hex(), 0.12);
  svg.frame(at, series_color(box.color).hex());
  const std::vector<std::string> lines = lines_of(box.text);
  double y = middle(at).y - kLine * (static_cast<double>(lines.size()) - 1) / 2 + 4;
  for (size_t i = 0; i < lines.size(); ++i, y += kLine) {
    svg.text({middle(at).x, y}, lines[i],
             {.size = kBoxText, .anchor = "middle", .bold = i == 0 && lines.size() > 1});
  }
}

}  // namespace

int Diagram::box(DiagramBox box) {
  check(std::isfinite(box.column) && std::isfinite(box.row) && std::abs(box.column) < 1000 &&
            std::abs(box.row) < 1000,
        "diagram: column {} and row {} of a box must be between -1000 and 1000", box.column,
        box.row);
  boxes_.push_back(std::move(box));
  return static_cast<int>(boxes_.size()) - 1;
}

Diagram& Diagram::arrow(DiagramArrow arrow) {
  const int count = static_cast<int>(boxes_.size());
  check(arrow.from >= 0 && arrow.from < count && arrow.to >= 0 && arrow.to < count,
        "diagram: an arrow from box {} to box {}; there are {} boxes", arrow.from, arrow.to, count);
  arrows_.push_back(std::move(arrow));
  return *this;
}

std::string Diagram::svg() const {
  std::vector<Box> boxes = placed(boxes_, options_);
  double top = options_.title.empty() ? 0 : kTitleSpace;
  for (const DiagramArrow& arrow : arrows_) {
    if (!arrow.is_arc) continue;
    const double across = std::abs(middle(boxes[arrow.to]).x - middle(boxes[arrow.from]).x);
    const double above = (options_.title.empty() ? 0 : kTitleSpace) + 14 + 0.22 * across;
    top = std::max(top, above);
  }
  double width = 240, height = 40;
  for (Box& box : boxes) {
    box.y += top;
    width = std::max(width, box.right() + kMargin);
    height = std::max(height, box.bottom() + kMargin);
  }
  width = std::max(width, pixels_of(options_.title, 15) + 2 * kMargin);
  SvgWriter svg;
  if (!options_.title.empty()) {
    svg.text({width / 2, 25}, options_.title, {.size = 15, .anchor = "middle", .bold = true});
  }
  for (const DiagramArrow& arrow : arrows_) {
    const double weight = std::isfinite(arrow.weight) ? std::clamp(arrow.weight, 0.0, 1.0) : 0;
    const StrokeStyle style{arrow_color(weight), 0.8 + 3.2 * weight, LineStyle::solid};
    const Box &from = boxes[arrow.from], &to = boxes[arrow.to];
    if (arrow.is_arc) {
      draw_arc(from, to, arrow, style, svg);
    } else if (arrow.is_elbow && to.x > from.right()) {
      draw_elbow(from, to, arrow, style, svg);
    } else if (arrow.is_bypass) {
      draw_bypass(from, to, arrow, style, svg);
    } else {
      draw_straight(from, to, arrow, style, svg);
    }
  }
  for (size_t i = 0; i < boxes.size(); ++i) draw_box(boxes_[i], boxes[i], svg);
  return svg.document(width, height);
}

}  // namespace heed
