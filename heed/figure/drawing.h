// What a figure holds, and how it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heed {

struct AxisRange {
  double low = 0;
  double high = 1;
};

struct FigureOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_x = false;  // powers of ten at equal distances; for bars, log_x is the axis of values
  bool log_y = false;
  std::optional<AxisRange> x_range = {};  // of lines and points; what the data needs if not given
  std::optional<AxisRange> y_range = {};
};

enum class LineStyle : uint8_t { solid, dashed, dotted };

struct SeriesOptions {
  std::string label = {};  // in the legend; empty: not there
  LineStyle style = LineStyle::solid;
  int color = -1;  // index of a color; -1: the next one
};

struct HeatMapOptions {
  std::vector<std::string> row_labels = {};     // one per row, or none: numbers
  std::vector<std::string> column_labels = {};  // one per column, or none: numbers
  std::optional<double> low = {};   // value of the darkest color; the smallest if not given
  std::optional<double> high = {};  // value of the brightest color; the largest if not given
  bool values = false;              // writes the numbers into the cells where they fit
};

struct SvgOptions {
  double width = 480;  // of one figure, in pixels
  double height = 360;
};

struct TerminalOptions {
  int width = 80;      // columns in all
  int height = 18;     // lines of the picture itself, without labels and legend
  bool color = false;  // ANSI escapes with 256 colors; otherwise shades and dashes
};

// Lines, points and bands, or bars, or a heat map.
struct Drawing {
  struct Series {
    bool is_line = true;
    std::vector<double> x;
    std::vector<double> y;
    SeriesOptions options;
    std::vector<double> low;  // of a band, whose upper edge is y; otherwise empty
  };
  struct Bars {
    std::vector<std::string> labels;  // one per bar
    std::vector<std::vector<double>> values;
    std::vector<SeriesOptions> options;  // one per series
  };
  struct HeatMap {
    int64_t rows = 0;
    int64_t columns = 0;
    std::vector<double> cells;  // [rows, columns]
    HeatMapOptions options;
  };

  FigureOptions options = {};
  std::vector<Series> series = {};
  std::optional<Bars> bars = {};
  std::optional<HeatMap> map = {};
};

}  // namespace heed
