#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "heed/figure/color_internal.h"

namespace heed {
namespace {

// Okabe and Ito, "Color Universal Design" (2008): blue, vermilion, green, orange, purple, sky blue,
// and gray in place of their black and yellow.
constexpr std::array<Color, 7> kSeries{{{0x00, 0x72, 0xb2},
                                        {0xd5, 0x5e, 0x00},
                                        {0x00, 0x9e, 0x73},
                                        {0xe6, 0x9f, 0x00},
                                        {0xcc, 0x79, 0xa7},
                                        {0x56, 0xb4, 0xe9},
                                        {0x66, 0x66, 0x66}}};

// Every tenth of viridis, the map that Stéfan van der Walt and Nathaniel Smith made for matplotlib
// (CC0): equal steps look equal. Between the stops the colors are mixed.
constexpr std::array<Color, 11> kViridis{{{0x44, 0x01, 0x54},
                                          {0x48, 0x24, 0x75},
                                          {0x41, 0x44, 0x87},
                                          {0x35, 0x5f, 0x8d},
                                          {0x2a, 0x78, 0x8e},
                                          {0x21, 0x91, 0x8c},
                                          {0x22, 0xa8, 0x84},
                                          {0x44, 0xbf, 0x70},
                                          {0x7a, 0xd1, 0x51},
                                          {0xbd, 0xdf, 0x26},
                                          {0xfd, 0xe7, 0x25}}};

uint8_t mix(uint8_t a, uint8_t b, double t) {
  return static_cast<uint8_t>(std::lround(a + t * (b - a)));
}

int squared_distance(const Color& a, int red, int green, int blue) {
  const int r = a.red - red;
  const int g = a.green - green;
  const int b = a.blue - blue;
  return r * r + g * g + b * b;
}

size_t series_slot(int index) {
  const int count = static_cast<int>(kSeries.size());
  return static_cast<size_t>((index % count + count) % count);
}

}  // namespace

std::string Color::hex() const { return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue); }

// Colors 16 to 231 are a cube with six levels per channel, 232 to 255 grays.
int Color::terminal() const {
  constexpr std::array<int, 6> kLevels{0, 95, 135, 175, 215, 255};
  const auto level = [&](int channel) {
    size_t best = 0;
    for (size_t i = 1; i < kLevels.size(); ++i) {
      if (std::abs(kLevels[i] - channel) < std::abs(kLevels[best] - channel)) best = i;
    }
    return best;
  };
  const size_t r = level(red);
  const size_t g = level(green);
  const size_t b = level(blue);
  const int gray = std::clamp((red + green + blue) / 3 - 3, 0, 230) / 10;
  const int gray_level = 8 + 10 * gray;
  if (squared_distance(*this, gray_level, gray_level, gray_level) <
      squared_distance(*this, kLevels[r], kLevels[g], kLevels[b])) {
    return 232 + gray;
  }
  return static_cast<int>(16 + 36 * r + 6 * g + b);
}

double Color::brightness() const { return (0.299 * red + 0.587 * green + 0.114 * blue) / 255; }

Color series_color(int index) { return kSeries[series_slot(index)]; }

int series_terminal_color(int index) {
  constexpr std::array<int, kSeries.size()> kColors{33, 208, 35, 178, 170, 74, 245};
  return kColors[series_slot(index)];
}

Color heat_color(double x) {
  if (std::isnan(x)) return kGapColor;
  const double at = std::clamp(x, 0.0, 1.0) * (kViridis.size() - 1);
  const size_t i = std::min(static_cast<size_t>(at), kViridis.size() - 2);
  const double t = at - static_cast<double>(i);
  const Color& a = kViridis[i];
  const Color& b = kViridis[i + 1];
  return {mix(a.red, b.red, t), mix(a.green, b.green, t), mix(a.blue, b.blue, t)};
}

}  // namespace heed
