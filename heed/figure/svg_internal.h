// Writing SVG: a few shapes, and the kinds of panels made of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/figure/color_internal.h"
#include "heed/figure/drawing.h"

namespace heed {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

constexpr double kTickSize = 11;   // of the text at ticks, bars and cells
constexpr double kLabelSize = 12;  // of the names of axes

struct TextStyle {
  double size = kTickSize;
  const char* anchor = "start";  // start, middle or end
  bool bold = false;
  bool rotated = false;  // reads upwards
  const char* color = "#333333";
};

struct StrokeStyle {
  std::string color = "#333333";
  double width = 1;
  LineStyle style = LineStyle::solid;
};

class SvgWriter {
 public:
  void text(Point at, std::string_view text, const TextStyle& style = {});
  void line(Point from, Point to, const StrokeStyle& style = {});
  void polyline(std::span<const Point> points, const StrokeStyle& style);
  void circle(Point at, double radius, const std::string& color, double opacity = 1);
  void rectangle(const Box& box, const std::string& fill);
  void frame(const Box& box, const std::string& color);
  void area(const Box& box, const std::string& color, double opacity);
  void polygon(std::span<const Point> points, const std::string& color, double opacity);

  // Shapes in a group have sharp edges, so that neighboring cells leave no seam.
  void begin_crisp() { body_ += "<g shape-rendering=\"crispEdges\">\n"; }
  void end_group() { body_ += "</g>\n"; }

  // Everything drawn so far, on white: the picture looks the same on a dark page.
  std::string document(double width, double height) const;

 private:
  std::string body_;
};

std::string escape_xml(std::string_view text);

// What is left of and right of the cells of a heat map, at least.
struct SideRoom {
  double left = 0;
  double right = 0;
};
SideRoom heat_map_sides(const Drawing& drawing, const Box& box);

void draw_svg(const Drawing& drawing, const Box& box, SvgWriter& svg, const SideRoom& sides = {});
void draw_svg_plot(const Drawing& drawing, const Box& box, SvgWriter& svg);
void draw_svg_bars(const Drawing& drawing, const Box& box, SvgWriter& svg);
void draw_svg_heat_map(const Drawing& drawing, const Box& box, SvgWriter& svg,
                       const SideRoom& sides);

// Writes the title into the upper edge of the box and returns what is left below.
Box draw_title(const Drawing& drawing, const Box& box, SvgWriter& svg);

// The names of both axes: below and left of `area`, at the edges of `outer`.
void draw_axis_names(const FigureOptions& options, const Box& area, const Box& outer,
                     SvgWriter& svg);

}  // namespace heed
