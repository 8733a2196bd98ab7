// Colors of figures.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

struct Color {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  std::string hex() const;    // "#21918c"
  int terminal() const;       // the nearest of the 256 colors of terminals
  double brightness() const;  // 0 black .. 1 white, as the eye sees it
};

// The colors of series; they repeat after seven.
Color series_color(int index);

// The same in a terminal, bright enough for a black background and dark enough for a white one.
int series_terminal_color(int index);

// The color of a heat map at x in [0, 1]; the gap color for NaN.
Color heat_color(double x);

inline constexpr Color kGapColor{0xd4, 0xd4, 0xd4};

}  // namespace heed
