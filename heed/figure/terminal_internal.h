// Pictures made of characters.
#pragma once

#include <string>

#include "heed/figure/drawing.h"

namespace heed {

std::string terminal_plot(const Drawing& drawing, const TerminalOptions& options);
std::string terminal_bars(const Drawing& drawing, const TerminalOptions& options);
std::string terminal_heat_map(const Drawing& drawing, const TerminalOptions& options);

// Escapes that begin and end a color; empty without color.
std::string foreground(int color, bool enabled);
std::string background(int color, bool enabled);
std::string color_end(bool enabled);

// The text without spaces at its end, and a line feed.
std::string line_of(std::string text);

}  // namespace heed
