#include <gtest/gtest.h>

#include <cmath>

#include "heed/figure/axis_internal.h"
#include "heed/figure/color_internal.h"
#include "heed/figure/figure.h"

namespace heed {
namespace {

std::string labels(const Axis& axis) {
  std::string result;
  for (const Tick& tick : axis.ticks) result += tick.label + " ";
  return result;
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_EQ(labels(make_axis({0, 5}, 5)), "0 1 2 3 4 5 ");
  EXPECT_EQ(labels(make_axis({0, 1}, 5)), "0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels(make_axis({-2.5, 2.5}, 5)), "-2 -1 0 1 2 ");
  EXPECT_EQ(labels(make_axis({1999, 2001}, 4)), "1999.0 1999.5 2000.0 2000.5 2001.0 ");
  EXPECT_EQ(labels(make_axis({0, 0.003}, 3)), "0.000 0.001 0.002 0.003 ");
  EXPECT_EQ(labels(make_axis({0, 3e-9}, 3)), "0 1e-09 2e-09 3e-09 ");
  EXPECT_EQ(labels(make_axis({0, 4e9}, 4)), "0 1e+09 2e+09 3e+09 4e+09 ");
  EXPECT_EQ(labels(make_axis({0, 10}, 1)), "0 10 ");
  EXPECT_EQ(labels(make_axis({0.1, 4.9}, 2)), "2 4 ");  // neither 0 nor 5 is in it
}

TEST(Axis, WholeNumbersHaveWholeTicks) {
  EXPECT_EQ(labels(make_axis({0, 3}, 6, 0, true)), "0 1 2 3 ");
  EXPECT_EQ(labels(make_axis({0, 40}, 4, 0, true)), "0 10 20 30 40 ");
  // The layers of a figure: x has no halves, y keeps its own.
  Figure figure;
  figure.line(Tensor::from(std::vector<double>{0, 1, 2, 3}, {4}),
              Tensor::from(std::vector<double>{0, 1, 1, 1}, {4}));
  const PlotAxes axes = plot_axes(figure.drawing(), 8, 4, 0, 0);
  EXPECT_EQ(labels(axes.x), "0 1 2 3 ");
  EXPECT_EQ(labels(axes.y), "0.0 0.5 1.0 ");
}

TEST(Axis, PlacesAndMargins) {
  const Axis axis = make_axis({0, 10}, 5, 0.1);
  EXPECT_DOUBLE_EQ(axis.range.low, -1);
  EXPECT_DOUBLE_EQ(axis.place(5), 0.5);
}

TEST(Axis, RangesAreNeverEmpty) {
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {NAN},
                                            {3},
                                            {0, 0},
                                            {1e6, 1e6},
                                            {1, std::nextafter(1, 2)},
                                            {INFINITY}}) {
    const Range range = range_of(values);
    EXPECT_LT(range.low, range.high);
  }
  EXPECT_EQ(range_of(std::vector<double>{1, NAN, -4, 2}).low, -4);
}

TEST(Axis, IntervalsAreRound) {
  EXPECT_EQ(nice_interval(0.3), 1);
  EXPECT_EQ(nice_interval(1.1), 2);
  EXPECT_EQ(nice_interval(3), 5);
  EXPECT_EQ(nice_interval(5.5), 10);
  EXPECT_EQ(nice_interval(40), 50);
}

TEST(Color, HeatGoesFromDarkToBright) {
  EXPECT_EQ(heat_color(0).hex(), "#440154");
  EXPECT_EQ(heat_color(1).hex(), "#fde725");
  EXPECT_EQ(heat_color(-3).hex(), heat_color(0).hex());
  EXPECT_EQ(heat_color(NAN).hex(), kGapColor.hex());
  double before = -1;
  for (int i = 0; i <= 100; ++i) {
    const double brightness = heat_color(i / 100.0).brightness();
    EXPECT_GT(brightness, before - 1e-3);
    before = brightness;
  }
}

TEST(Color, FindsTheNearestOfTheTerminal) {
  EXPECT_EQ((Color{0, 0, 0}).terminal(), 16);
  EXPECT_EQ((Color{255, 255, 255}).terminal(), 231);
  EXPECT_EQ((Color{255, 0, 0}).terminal(), 196);
  EXPECT_EQ((Color{118, 118, 118}).terminal(), 243);
}

}  // namespace
}  // namespace heed
