#include "heed/figure/diagram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed::diagram_test {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Diagram, BoxesAndArrows) {
  Diagram diagram({.title = "A < B"});
  const int a = diagram.box({.column = 0, .row = 0, .text = "key\n(1, 0)"});
  const int b = diagram.box({.column = 2, .row = 0.5, .text = "output"});
  diagram.arrow({.from = a, .to = b, .weight = 1, .label = "0.34"});
  const std::string svg = diagram.svg();
  for (const char* text : {"A &lt; B", ">key<", ">(1, 0)<", ">output<", ">0.34<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(count_of(svg, "<line"), 1u);
  EXPECT_EQ(count_of(svg, "<polygon"), 1u);
}

// A heavier arrow is thicker; a weight that is no number is drawn as none.
TEST(Diagram, WeightsAreThickness) {
  const auto drawn = [](double weight) {
    Diagram diagram;
    diagram.box({.column = 0, .row = 0, .text = "a"});
    diagram.box({.column = 1, .row = 0, .text = "b"});
    diagram.arrow({.from = 0, .to = 1, .weight = weight});
    return diagram.svg();
  };
  EXPECT_NE(drawn(1).find("stroke-width=\"4\""), std::string::npos);
  EXPECT_NE(drawn(0).find("stroke-width=\"0.8\""), std::string::npos);
  EXPECT_EQ(drawn(std::nan("")), drawn(0));
  EXPECT_EQ(drawn(7), drawn(1));
}

TEST(Diagram, ArcsStayInThePicture) {
  Diagram diagram({.title = "Words"});
  for (int i = 0; i < 9; ++i) {
    diagram.box({.column = static_cast<double>(i), .row = 0, .text = "word"});
  }
  diagram.arrow({.from = 0, .to = 8, .is_arc = true});
  const std::string svg = diagram.svg();
  EXPECT_EQ(count_of(svg, "<polyline"), 1u);
  const std::string points = svg.substr(svg.find("points=\""));
  EXPECT_EQ(points.substr(0, points.find("fill")).find(",-"), std::string::npos);  // no y below 0
}

struct Way {
  std::vector<double> x, y;
};

// The four points of the only line.
Way way_of(const std::string& svg) {
  std::istringstream points(svg.substr(svg.find("points=\"") + 8));
  Way way;
  for (int i = 0; i < 4; ++i) {
    char comma = 0;
    double x = 0, y = 0;
    points >> x >> comma >> y;
    way.x.push_back(x);
    way.y.push_back(y);
  }
  return way;
}

// An arrow to a box far up in the next column goes around the boxes between, in the gap.
TEST(Diagram, ElbowsGoAroundBoxes) {
  Diagram diagram;
  const int from = diagram.box({.column = 0, .row = 9, .text = "from here"});
  for (int row = 0; row < 10; ++row) {
    diagram.box({.column = 1, .row = static_cast<double>(row), .text = "a box"});
  }
  diagram.arrow({.from = from, .to = 1, .is_elbow = true});
  const std::string svg = diagram.svg();
  ASSERT_EQ(count_of(svg, "<polyline"), 1u);
  EXPECT_EQ(count_of(svg, "<polygon"), 1u);
  const auto [x, y] = way_of(svg);
  EXPECT_EQ(y[0], y[1]);
  EXPECT_EQ(x[1], x[2]);
  EXPECT_EQ(y[2], y[3]);
  EXPECT_LT(y[3], y[0] - 200);
  // The boxes of the second column begin to the right of the way up.
  const size_t at = svg.rfind("<rect x=\"");
  EXPECT_LT(x[1] + 10, std::stod(svg.substr(at + 9)));
}

// From the side of a box to the same side of one above, past the box between, inside the picture.
TEST(Diagram, ABypassPassesBoxes) {
  Diagram diagram;
  for (int row = 0; row < 3; ++row) {
    diagram.box({.column = 0, .row = static_cast<double>(row), .text = "a box that is wide"});
  }
  diagram.arrow({.from = 2, .to = 0, .is_bypass = true});
  const std::string svg = diagram.svg();
  ASSERT_EQ(count_of(svg, "<polyline"), 1u);
  const auto [x, y] = way_of(svg);
  EXPECT_EQ(x[1], x[2]);
  EXPECT_GT(x[1], x[0]);
  EXPECT_GT(x[2], x[3]);
  EXPECT_LT(y[2], y[1]);
  EXPECT_LT(x[1], std::stod(svg.substr(svg.find("width=\"") + 7)));
}

TEST(Diagram, Mistakes) {
  Diagram diagram;
  EXPECT_THROW(diagram.arrow({.from = 0, .to = 1}), Error);
  EXPECT_THROW(diagram.box({.column = 1e9, .row = 0, .text = ""}), Error);
  EXPECT_NE(diagram.svg().find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace heed::diagram_test
