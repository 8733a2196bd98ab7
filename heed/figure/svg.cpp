#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "heed/base/fail.h"
#include "heed/figure/label.h"
#include "heed/figure/svg_internal.h"

namespace heed {
namespace {

// Hundredths of a pixel are enough, and "12" is shorter than "12.00".
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string stroke(const StrokeStyle& style) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{}\"", style.color, number(style.width));
  if (style.style == LineStyle::dashed) text += " stroke-dasharray=\"7 4\"";
  if (style.style == LineStyle::dotted) text += " stroke-dasharray=\"1.5 3\"";
  return text;
}

std::string box_attributes(const Box& box) {
  return fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(box.x), number(box.y),
                     number(box.width), number(box.height));
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

void SvgWriter::text(Point at, std::string_view text, const TextStyle& style) {
  std::string extra;
  if (style.bold) extra += " font-weight=\"600\"";
  if (style.rotated) {
    extra += fmt::format(" transform=\"rotate(-90 {} {})\"", number(at.x), number(at.y));
  }
  fmt::format_to(std::back_inserter(body_),
                 "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>{}"
                 "</text>\n",
                 number(at.x), number(at.y), number(style.size), style.anchor, style.color, extra,
                 escape_xml(text));
}

void SvgWriter::line(Point from, Point to, const StrokeStyle& style) {
  fmt::format_to(std::back_inserter(body_), "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n",
                 number(from.x), number(from.y), number(to.x), number(to.y), stroke(style));
}

void SvgWriter::polyline(std::span<const Point> points, const StrokeStyle& style) {
  body_ += "<polyline points=\"";
  for (size_t i = 0; i < points.size(); ++i) {
    if (i > 0) body_ += ' ';
    body_ += number(points[i].x) + "," + number(points[i].y);
  }
  body_ += "\" fill=\"none\" stroke-linejoin=\"round\" " + stroke(style) + "/>\n";
}

void SvgWriter::polygon(std::span<const Point> points, const std::string& color, double opacity) {
  body_ += "<polygon points=\"";
  for (size_t i = 0; i < points.size(); ++i) {
    if (i > 0) body_ += ' ';
    body_ += number(points[i].x) + "," + number(points[i].y);
  }
  fmt::format_to(std::back_inserter(body_), "\" fill=\"{}\" fill-opacity=\"{}\"/>\n", color,
                 number(opacity));
}

void SvgWriter::circle(Point at, double radius, const std::string& color, double opacity) {
  fmt::format_to(std::back_inserter(body_),
                 "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n",
                 number(at.x), number(at.y), number(radius), color, number(opacity));
}

void SvgWriter::rectangle(const Box& box, const std::string& fill) {
  fmt::format_to(std::back_inserter(body_), "<rect {} fill=\"{}\"/>\n", box_attributes(box), fill);
}

void SvgWriter::area(const Box& box, const std::string& color, double opacity) {
  fmt::format_to(std::back_inserter(body_), "<rect {} fill=\"{}\" fill-opacity=\"{}\"/>\n",
                 box_attributes(box), color, number(opacity));
}

void SvgWriter::frame(const Box& box, const std::string& color) {
  fmt::format_to(std::back_inserter(body_), "<rect {} fill=\"none\" stroke=\"{}\"/>\n",
                 box_attributes(box), color);
}

std::string SvgWriter::document(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, 'Segoe UI', 'Helvetica Neue', Arial, "
      "'DejaVu Sans', sans-serif\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      number(width), number(height), body_);
}

Box draw_title(const Drawing& drawing, const Box& box, SvgWriter& svg) {
  constexpr double kSize = 14;
  constexpr double kPadding = 12;
  Box rest{box.x + kPadding, box.y + kPadding, box.width - 2 * kPadding, box.height - 2 * kPadding};
  const std::string& title = drawing.options.title;
  if (title.empty()) return rest;
  svg.text({box.x + box.width / 2, rest.y + kSize - 1}, fit_pixels(title, kSize * 1.05, rest.width),
           {.size = kSize, .anchor = "middle", .bold = true});
  rest.y += kSize + 10;
  rest.height -= kSize + 10;
  return rest;
}

void draw_axis_names(const FigureOptions& options, const Box& area, const Box& outer,
                     SvgWriter& svg) {
  TextStyle style{.size = kLabelSize, .anchor = "middle"};
  if (!options.x_label.empty()) {
    svg.text({area.x + area.width / 2, outer.bottom() - 2},
             fit_pixels(options.x_label, kLabelSize, area.width), style);
  }
  style.rotated = true;
  if (!options.y_label.empty()) {
    svg.text({outer.x + kLabelSize - 2, area.y + area.height / 2},
             fit_pixels(options.y_label, kLabelSize, area.height), style);
  }
}

void draw_svg(const Drawing& drawing, const Box& box, SvgWriter& svg, const SideRoom& sides) {
  check(box.width >= 120 && box.height >= 100 && box.width <= 1e5 && box.height <= 1e5,
        "figure: {} x {} pixels is no size for a figure: at least 120 x 100, at most 100000",
        box.width, box.height);
  if (drawing.map) {
    draw_svg_heat_map(drawing, box, svg, sides);
  } else if (drawing.bars) {
    draw_svg_bars(drawing, box, svg);
  } else {
    draw_svg_plot(drawing, box, svg);
  }
}

}  // namespace heed
