#include "heed/figure/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed::figure_test {
namespace {

Tensor numbers(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

int count(const std::string& text, const std::string& piece) {
  int result = 0;
  for (size_t at = 0; (at = text.find(piece, at)) != std::string::npos; at += piece.size())
    ++result;
  return result;
}

TEST(Figure, SvgHasAxesSeriesAndLegend) {
  Figure figure({.title = "A fit", .x_label = "time", .y_label = "height"});
  figure.line(numbers({0, 1, 2}), numbers({0, 4, 2}), {.label = "prediction"});
  figure.scatter(numbers({0, 1}), Tensor::zeros({2, 1}), {.label = "data"});
  const std::string svg = figure.svg({.width = 400, .height = 300});
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"300\"", 0),
            0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "<polyline"), 1);
  EXPECT_EQ(count(svg, "<circle"), 2 + 1);  // the data and the legend
  for (const char* text : {">A fit<", ">time<", ">height<", ">prediction<", ">data<", ">4<"}) {
    EXPECT_EQ(count(svg, text), 1) << text;
  }
  EXPECT_NE(svg.find("fill=\"#ffffff\""), std::string::npos);
}

TEST(Figure, EscapesLabels) {
  Figure figure({.title = "a < b & \"c\"\x01\xff"});
  figure.line(numbers({0, 1}), numbers({0, 1}), {.label = "</text>"});
  const std::string svg = figure.svg();
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;\xef\xbf\xbd\xef\xbf\xbd<"), std::string::npos);
  EXPECT_NE(svg.find("&lt;/text&gt;"), std::string::npos);
}

TEST(Figure, WhatIsNotFiniteIsAGap) {
  Figure figure;
  figure.line(numbers({0, 1, 2, 3, 4, 5}), numbers({0, 1, NAN, 3, INFINITY, 5}));
  const std::string svg = figure.svg();
  EXPECT_EQ(count(svg, "<polyline"), 1);  // 0..1
  EXPECT_EQ(count(svg, "<circle"), 2);    // 3 and 5 stand alone
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "inf"), 0);
}

TEST(Figure, DrawsExtremes) {
  const std::vector<std::vector<double>> data{{},
                                              {NAN},
                                              {5},
                                              {0, 0},
                                              {-1e300, 1e300},
                                              {1e-300, 2e-300},
                                              {1e9, 1e9 + 1},
                                              {INFINITY, 1},
                                              {1e308, 1}};
  for (const auto& values : data) {
    Figure figure({.title = "x"});
    figure.line(numbers(values), numbers(values), {.label = "y"});
    for (const std::string& text :
         {figure.svg(), figure.terminal(), figure.terminal({.width = 5, .height = 1})}) {
      EXPECT_EQ(count(text, "nan") + count(text, "inf"), 0) << text;
    }
  }
}

TEST(Figure, HeatMapInSvg) {
  Figure figure({.x_label = "key", .y_label = "query"});
  figure.heat_map(Tensor::from(std::vector<float>{0, 0.5f, 1, NAN}, {2, 2}),
                  {.row_labels = {"the", "cat"}, .column_labels = {"le", "chat"}, .values = true});
  const std::string svg = figure.svg();
  for (const char* text : {">the<", ">cat<", ">le<", ">chat<", ">key<", ">query<", ">0.5<",
                           "#440154", "#21918c", "#fde725", "#d4d4d4"}) {
    EXPECT_GE(count(svg, text), 1) << text;
  }
}

// Viewers show a gap between cells whose edges are not the very same.
TEST(Figure, CellsOfAHeatMapShareTheirEdges) {
  Tensor steps = Tensor::empty({3, 13});
  for (int64_t i = 0; i < steps.size(); ++i) steps.data<float>()[i] = static_cast<float>(i % 7);
  Figure figure;
  figure.heat_map(steps);
  const std::string svg = figure.svg({.width = 333, .height = 217});
  const size_t begin = svg.find("crispEdges");
  ASSERT_NE(begin, std::string::npos);
  double right = 0, row = -1;
  int cells = 0;
  std::istringstream lines(svg.substr(begin, svg.find("</g>", begin) - begin));
  for (std::string line; std::getline(lines, line);) {
    double x = 0, y = 0, width = 0, height = 0;
    if (std::sscanf(line.c_str(), "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &x, &y,
                    &width, &height) != 4) {
      continue;
    }
    for (const double edge : {x, y, width, height}) EXPECT_EQ(edge, std::round(edge)) << line;
    EXPECT_TRUE(y != row || x == right) << line;
    right = x + width;
    row = y;
    ++cells;
  }
  EXPECT_EQ(cells, 39);
}

TEST(Figure, MergesCellsOfLargeHeatMapsByTheirMaximum) {
  Tensor large = Tensor::zeros({1000, 3});
  large.data<float>()[3 * 501 + 1] = 1;
  Figure figure;
  figure.heat_map(large);
  EXPECT_NE(figure.svg().find("each cell: the largest of 4 x 1"), std::string::npos);
  EXPECT_GE(count(figure.svg(), "#fde725"), 1);
  const std::string text = figure.terminal({.width = 40, .height = 10});
  EXPECT_EQ(count(text, "██"), 1 + 1);  // the cell and the scale
  EXPECT_NE(text.find("each cell: the largest of 100 x 1"), std::string::npos);
}

TEST(Figure, PanelsStandSideBySide) {
  FigureGrid grid({.title = "All", .columns = 2});
  for (int i = 0; i < 3; ++i) grid.add(Figure({.title = "panel"}));
  const std::string svg = grid.svg({.width = 300, .height = 200});
  EXPECT_EQ(count(svg, ">panel<"), 3);
  EXPECT_NE(svg.find("viewBox=\"0 0 600 440\""), std::string::npos);
}

TEST(Figure, Bars) {
  Figure figure({.title = "Costs", .x_label = "multiply-adds"});
  figure.bars({"attention", "dense"}, numbers({2, 14.7e6}), {.label = "counted"});
  figure.bars({"attention", "dense"}, numbers({1, NAN}), {.label = "notes"});
  const std::string svg = figure.svg();
  for (const char* text : {">attention<", ">dense<", ">14.7 M<", ">counted<", ">multiply-adds<"}) {
    EXPECT_EQ(count(svg, text), 1) << text;
  }
  const std::string text = figure.terminal({.width = 60});
  EXPECT_NE(text.find("14.7 M"), std::string::npos) << text;
  EXPECT_EQ(count(text + svg, "nan"), 0);
  EXPECT_THROW(figure.bars({"other", "dense"}, numbers({1, 2})), Error);
  EXPECT_THROW(figure.bars({"one"}, numbers({1, 2})), Error);
  EXPECT_THROW(figure.line(numbers({1}), numbers({1})), Error);
  EXPECT_THROW(figure.heat_map(Tensor::zeros({2, 2})), Error);
}

TEST(Figure, Band) {
  Figure figure;
  figure.band(numbers({0, 1, 2, 3, 4}), numbers({0, 0, NAN, 0, 0}), numbers({1, 2, 3, 2, 1}),
              {.label = "deviation"});
  const std::string svg = figure.svg();
  EXPECT_EQ(count(svg, "<polygon"), 2);
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_NE(figure.terminal().find("deviation"), std::string::npos);
  EXPECT_THROW(figure.band(numbers({0, 1}), numbers({0}), numbers({1, 2})), Error);
}

TEST(Figure, LogarithmicAxes) {
  Figure figure({.log_x = true, .log_y = true});
  figure.line(numbers({1, 10, 100, 0}), numbers({1e-3, 1, 1e3, 5}));
  const std::string svg = figure.svg();
  EXPECT_EQ(count(svg, "<polyline"), 1);
  for (const char* text : {">1<", ">10<", ">100<"}) EXPECT_GE(count(svg, text), 1) << text;
  // Three points on a line.
  const size_t at = svg.find("<polyline points=\"") + 18;
  double x[3];
  double y[3];
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "%lf,%lf %lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1],
                        &x[2], &y[2]),
            6);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.03);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.03);
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0}, {-1}, {5}, {1e-300, 1e300}}) {
    Figure edge({.log_x = true, .log_y = true});
    edge.line(numbers(values), numbers(values));
    EXPECT_EQ(count(edge.svg() + edge.terminal(), "nan"), 0);
  }
}

TEST(Figure, SmallMultiplesShareTheirAxes) {
  FigureGrid grid({.columns = 2, .same_axes = true});
  grid.add(Figure({.title = "small"}).line(numbers({0, 1}), numbers({0, 1})));
  grid.add(Figure({.title = "large"}).line(numbers({0, 1}), numbers({0, 1000})));
  EXPECT_EQ(count(grid.svg(), ">1000<"), 2);
  const std::string text = grid.terminal();
  EXPECT_LT(text.find("small"), text.find("large"));
}

TEST(Figure, RefusesWhatDoesNotFit) {
  Figure figure;
  EXPECT_THROW(figure.line(numbers({1, 2}), numbers({1})), Error);
  EXPECT_THROW(figure.line(Tensor::zeros({2, 2}), Tensor::zeros({2, 2})), Error);
  EXPECT_THROW(figure.heat_map(Tensor::zeros({4})), Error);
  EXPECT_THROW(figure.heat_map(Tensor::zeros({2, 2}), {.row_labels = {"one"}}), Error);
  EXPECT_THROW(figure.heat_map(Tensor::zeros({2, 2}), {.high = INFINITY}), Error);
  figure.heat_map(Tensor::zeros({2, 2}));
  EXPECT_THROW(figure.line(numbers({1}), numbers({1})), Error);
  EXPECT_THROW(figure.svg({.width = 10, .height = 10}), Error);
  EXPECT_THROW(figure.terminal({.width = 0}), Error);
}

// The cells of heat maps below each other begin and end at the same places.
TEST(FigureGrid, MapsBelowEachOtherAreAligned) {
  FigureGrid grid({.columns = 1});
  for (const char* label : {"1080 Hz", "la"}) {
    Figure map;
    map.heat_map(Tensor::full({1, 4}, 1, DType::f64), {.row_labels = {label}, .low = 0, .high = 1});
    grid.add(map);
  }
  const std::string svg = grid.svg();
  // The frame of the cells is drawn first in each panel, then that of the color bar.
  std::vector<std::string> frames;
  for (size_t at = svg.find("fill=\"none\" stroke=\"#777777\""); at != std::string::npos;
       at = svg.find("fill=\"none\" stroke=\"#777777\"", at + 1)) {
    const size_t begin = svg.rfind("<rect x=", at);
    const std::string rectangle = svg.substr(begin, at - begin);
    const size_t width = rectangle.find("width=");
    frames.push_back(rectangle.substr(0, rectangle.find(" y=")) +
                     rectangle.substr(width, rectangle.find(" height") - width));
  }
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(frames[0], frames[2]);
  EXPECT_EQ(frames[1], frames[3]);
}

}  // namespace
}  // namespace heed::figure_test
