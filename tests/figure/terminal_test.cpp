#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "heed/figure/figure.h"
#include "heed/figure/label.h"

namespace heed::terminal_test {
namespace {

Tensor numbers(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

Figure small_map() {
  Figure figure({.title = "Weights", .x_label = "key"});
  figure.heat_map(
      Tensor::from(std::vector<double>{0.1, 0.2, 0.7, NAN, 0.5, 0.5, 1, 0, 0, 0.25, 0.5, 0.25},
                   {3, 4}),
      {.row_labels = {"the", "cat", "sat"},
       .column_labels = {"le", "chat", "s'est", "assis"},
       .low = 0,
       .high = 1});
  return figure;
}

TEST(Terminal, HeatMapInShades) {
  EXPECT_EQ(small_map().terminal(),
            "Weights\n"
            "    key\n"
            "      le   chat s'est assis\n"
            "the       ░░░░░░▓▓▓▓▓▓??????\n"
            "cat ▒▒▒▒▒▒▒▒▒▒▒▒██████\n"
            "sat       ░░░░░░▒▒▒▒▒▒░░░░░░\n"
            "    0   ░░▒▒▓▓██ 1\n");
}

TEST(Terminal, HeatMapInColors) {
  Figure figure;
  figure.heat_map(Tensor::from(std::vector<float>{0, 1, 1}, {1, 3}));
  const std::string text = figure.terminal({.color = true});
  EXPECT_NE(text.find("0 \x1b[48;5;53m  \x1b[0m\x1b[48;5;220m    \x1b[0m\n"), std::string::npos)
      << text;
}

TEST(Terminal, LinesAndPoints) {
  Figure figure({.x_label = "x"});
  figure.line(numbers({0, 1}), numbers({0, 1}), {.label = "f"});
  figure.scatter(numbers({0}), numbers({1}), {.label = "data"});
  EXPECT_EQ(figure.terminal({.width = 19, .height = 4}),
            "⠒⠒⠒⠒ f   o data\n"
            "1 ┤o           ⢀⡠⠔⠊\n"
            "  │        ⣀⠤⠒⠊⠁\n"
            "  │   ⢀⡠⠤⠒⠉\n"
            "0 ┤⡠⠔⠊⠁\n"
            "  └┬───────┬──────┬\n"
            "  0.0     0.5   1.0\n"
            "          x\n");
}

TEST(Terminal, LinesWithoutColorDifferInStyle) {
  Figure figure;
  for (const char* label : {"a", "b", "c", "d", "e", "f"})
    figure.line(numbers({0, 1}), numbers({0, 1}), {.label = label});
  const std::string legend = figure.terminal().substr(0, figure.terminal().find('\n'));
  EXPECT_EQ(legend, "⠒⠒⠒⠒ a   ⠒⠒⠒  b   ⠂ ⠂  c   ⠒ ⠒  d   ⠒⠒ ⠂ e   ⠂    f");
  EXPECT_NE(figure.terminal({.color = true}).find("\x1b[38;5;"), std::string::npos);
}

TEST(Terminal, FitsTheWidth) {
  std::vector<double> x;
  for (int i = 0; i < 500; ++i) x.push_back(std::sin(i * 0.1) * 1e5);
  Figure plot({.title = std::string(300, 't'),
               .x_label = std::string(300, 'x'),
               .y_label = std::string(300, 'y')});
  plot.line(numbers(x), numbers(x), {.label = std::string(300, 'l')})
      .scatter(numbers(x), numbers(x), {.label = "b"});
  Figure map({.title = std::string(300, 't'), .x_label = std::string(300, 'x')});
  map.heat_map(Tensor::zeros({40, 300}));
  for (const int width : {40, 61, 200}) {
    for (const std::string& text :
         {plot.terminal({.width = width}), map.terminal({.width = width})}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(Label, CountsColumns) {
  EXPECT_EQ(columns_of("abc"), 3);
  EXPECT_EQ(columns_of("é"), 1);
  EXPECT_EQ(columns_of("e\xcc\x81"), 1);  // e and a combining accent
  EXPECT_EQ(columns_of("注意"), 4);
  EXPECT_EQ(fit_columns("attention", 6), "atten…");
  EXPECT_EQ(fit_columns("注意力", 5), "注意…");
  EXPECT_EQ(fit_columns("注意力", 4), "注…");
  EXPECT_EQ(pad("ab", 5, Align::center), " ab  ");
}

TEST(Label, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(clean("a\x1b[2Jb"), "a\xef\xbf\xbd[2Jb");
  EXPECT_EQ(clean("\xc2\x9b"), "\xef\xbf\xbd");      // one-character escape
  EXPECT_EQ(clean("\xc3"), "\xef\xbf\xbd");          // cut off
  EXPECT_EQ(clean("\xed\xa0\x80"), "\xef\xbf\xbd");  // half of a surrogate pair
  EXPECT_EQ(clean("\xc0\xaf"), "\xef\xbf\xbd");      // not the shortest form
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Small multiples stand side by side where there is room for two, colors or not.
TEST(Terminal, PanelsSideBySide) {
  FigureGrid grid({.title = "Four", .columns = 4});
  for (const char* name : {"first", "second", "third", "fourth"}) {
    Figure panel({.title = name});
    panel.line(numbers({0, 1, 2}), numbers({0, 1, 0}));
    grid.add(panel);
  }
  for (const bool color : {false, true}) {
    const std::vector<std::string> lines =
        lines_in(grid.terminal({.width = 80, .height = 5, .color = color}));
    EXPECT_EQ(lines[2].find("second"), 41u);  // two panels of 39 columns, 2 between them
    for (const std::string& line : lines) EXPECT_LE(shown_columns(line), 80) << line;
  }
  const std::string narrow = grid.terminal({.width = 60, .height = 5});
  EXPECT_NE(narrow.find("\nsecond\n"), std::string::npos) << narrow;
}

TEST(Terminal, EscapesTakeNoColumns) {
  EXPECT_EQ(shown_columns("\x1b[38;5;12mab\x1b[0m c"), 4);
  EXPECT_EQ(shown_columns("abc\x1b["), 3);
}

// Heat maps below each other begin at the same column, so that their columns can be compared.
TEST(Terminal, MapsBelowEachOtherAreAligned) {
  FigureGrid grid({.columns = 1});
  for (const char* label : {"1080 Hz", "la"}) {
    Figure map;
    map.heat_map(Tensor::full({1, 4}, 1, DType::f64), {.row_labels = {label}, .low = 0});
    grid.add(map);
  }
  std::vector<size_t> begins;
  for (const std::string& line : lines_in(grid.terminal({.width = 80, .height = 5}))) {
    const bool is_row =
        line.find("1080 Hz") != std::string::npos || line.find("la") != std::string::npos;
    if (is_row) begins.push_back(line.find("█"));
  }
  ASSERT_EQ(begins.size(), 2u);
  EXPECT_EQ(begins[0], begins[1]);
}

}  // namespace
}  // namespace heed::terminal_test
